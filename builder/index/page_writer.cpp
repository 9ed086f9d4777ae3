// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/page_writer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "format/header/section.h"
#include "format/limits.h"
#include "format/page_open.h"

namespace dgfs::builder {
namespace {

// A page of a kernel source tree holds about 600 entries. The first page waits for twice as many.
constexpr std::size_t kFirstGuess = 600;
// Bounds the waiting entries in trees with very long paths; a page may end early then.
constexpr std::size_t kWaitingBytesMax = std::size_t{8} << 20;
// A spare entry keeps only the memory of a usual path, because there may be thousands.
constexpr std::size_t kSpareKeyBytesMax = 128;

}  // namespace

PageWriter::PageWriter(IndexFile& index, const SpoolPlace& place)
    : index_(index),
      model_(format::Model::empty()),
      attribute_tables_(place),
      directory_(place),
      wanted_count_(2 * kFirstGuess),
      guess_(kFirstGuess),
      page_data_{0, format::kPageBytes} {}

Status PageWriter::add(std::uint64_t zone, format::Entry& entry) {
  if (zone != zone_) {
    DGFS_CHECK(write_pages(true));
    zone_ = zone;
    last_key_.reset();
  }
  DGFS_CHECK(intern(entry));
  waiting_bytes_ += entry.key.size() + entry.target.size();
  if (waiting_count_ == waiting_.size()) waiting_.emplace_back();
  std::swap(waiting_[waiting_count_++], entry);
  ++entry_count_;
  return write_pages(false);
}

Status PageWriter::add_placed(format::Entry& entry, const ExtentPlace& place) {
  places_.push_back(place);
  return add(0, entry);
}

// Keys of link records have arbitrary bytes, which the token codec cannot hold; the column codec
// also compresses link records better.
const format::PageCodec& PageWriter::codec() const {
  const bool by_tokens = model_->tokens() != nullptr && zone_ != format::kLinkZone;
  return *format::find_page_codec(by_tokens ? format::kTokenCodec : format::kColumnCodec);
}

// All waiting entries must be in one table, so a full table ends the page.
Status PageWriter::intern(const format::Entry& entry) {
  if (entry.link_inode != 0) return ok();  // its attributes are in the link record
  const format::AttributeCombination combination{entry.mode, entry.uid, entry.gid};
  if (table_.intern(combination)) return ok();
  DGFS_CHECK(write_pages(true));
  DGFS_CHECK(end_table());
  if (table_.id() == std::numeric_limits<std::uint16_t>::max()) {
    return Error(ErrorKind::kLimit, 4062, "too many combinations of mode, owner and group");
  }
  table_ = format::AttributeTable(static_cast<std::uint16_t>(table_.id() + 1));
  table_.intern(combination);
  return ok();
}

Status PageWriter::end_table() {
  Buffer body;
  table_.encode(body);
  Buffer block;
  format::seal_block(format::SectionKind::kAttributeTables, body, block);
  return attribute_tables_.append(block);
}

Result<format::EncodedPage> PageWriter::fill_page() {
  const format::PageContext context{.model = model_.get(), .attributes = &table_};
  const auto entries = std::span<format::Entry>(waiting_).first(waiting_count_);
  if (places_.empty()) return format::fill_page(codec(), entries, context, guess_);
  const auto places = std::span<const ExtentPlace>(places_).first(entries.size());
  const auto plan = plan_page(entries, places, codec().id() == format::kTokenCodec);
  page_data_ = plan.begin;
  return format::fill_page(codec(), entries.first(plan.count), context, guess_);
}

Status PageWriter::write_pages(bool all) {
  const auto is_enough = [&] {
    return waiting_count_ >= wanted_count_ || waiting_bytes_ >= kWaitingBytesMax;
  };
  while (waiting_count_ != 0 && (all || is_enough())) {
    DGFS_TRY(page, fill_page());
    const bool took_all = page.entry_count == waiting_count_;
    if (took_all && !all && waiting_bytes_ < kWaitingBytesMax &&
        wanted_count_ < format::kPageEntriesMax) {
      // More entries might fit, so the page is made again when more are waiting.
      wanted_count_ = std::min(2 * wanted_count_, format::kPageEntriesMax);
      return ok();
    }
    wanted_count_ = std::clamp(2 * page.entry_count, kFirstGuess, format::kPageEntriesMax);
    DGFS_CHECK(write_page(page));
    drop_first(page.entry_count);
  }
  return ok();
}

Status PageWriter::write_page(const format::EncodedPage& page) {
  format::PageRecord record;
  record.zone = zone_;
  record.prefix = page.prefix;
  record.separator = format::make_separator(last_key_, page.first_key, page.prefix);
  record.first_ordinal = page_ordinal_;
  record.entry_count = static_cast<std::uint32_t>(page.entry_count);
  record.volume = page_data_.volume;
  record.first_data_offset = page_data_.offset_bytes;
  record.checksum = page.checksum;
  page_ordinal_ += page.entry_count;
  page_data_.offset_bytes += page.data_bytes;
  last_key_ = page.last_key;
  const auto took = std::span<const format::Entry>(waiting_).first(page.entry_count);
  has_gaps_ = has_gaps_ || std::ranges::any_of(took, [](const format::Entry& entry) {
                return entry.gap_bytes != 0;
              });
  DGFS_CHECK(index_.append(page.bytes));
  return directory_.add(std::move(record));
}

void PageWriter::drop_first(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    auto& key = waiting_[i].key;
    waiting_bytes_ -= key.size() + waiting_[i].target.size();
    if (key.capacity() > kSpareKeyBytesMax) key = std::string();
  }
  if (!places_.empty()) {
    places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const auto begin = waiting_.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(count),
              begin + static_cast<std::ptrdiff_t>(waiting_count_));
  waiting_count_ -= count;
}

Status PageWriter::begin_extents(const format::DataAddress& at) {
  DGFS_CHECK(write_pages(true));
  page_data_ = at;
  return ok();
}

Status PageWriter::finish() {
  DGFS_CHECK(write_pages(true));
  DGFS_CHECK(end_table());
  return directory_.finish();
}

}  // namespace dgfs::builder
