// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/page_filler.h"

#include <algorithm>
#include <bit>

#include "format/entry/check.h"
#include "format/entry/key.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

/// The page's defaults are chosen from this many entries, about a page.
constexpr std::size_t kHeadEntries = 512;

}  // namespace

void BitSink::number(NumberKind kind, std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  model_.widths(kind).write(width, bits_);
  if (width > 1) bits_.bits(value, width - 1);
}

void BitSink::put(std::string_view text, std::size_t first_class, const EndingLengths& endings) {
  text_ = text;
  text_ += kTextEnd;
  auto number = first_class;
  for (const auto symbol : parser_.parse(text_, first_class, endings)) {
    model_.code_of(number).write(symbol, bits_);
    number = model_.class_after(symbol);
  }
}

TokenPageFiller::TokenPageFiller(const PageContext& context, std::uint8_t codec_id)
    : context_(context),
      codec_id_(codec_id),
      model_(*context.model->tokens()),
      rows_(*context.attributes),
      page_head_(model_, context.model->token_trie()),
      first_key_(model_, context.model->token_trie()),
      group_keys_(model_, context.model->token_trie()),
      other_keys_(model_, context.model->token_trie()),
      blocks_(model_, context.model->token_trie()) {}

Result<EncodedPage> TokenPageFiller::fill(std::span<const Entry> entries) {
  head_ =
      choose_page_head(entries.first(std::min(entries.size(), kHeadEntries)), *context_.attributes);
  write_page_head(head_, (1u << kTypeCount) - 1, page_head_);
  DGFS_CHECK(take(entries.first(std::min(entries.size(), kPageEntriesMax))));
  if (count_ == 0) return Error(ErrorKind::kLimit, 2932, "entry does not fit into a page");
  end_block();
  BitWriter payload = std::move(page_head_.out());
  write_tables(payload);
  payload.append(first_key_.out());
  payload.append(group_keys_.out());
  payload.append(other_keys_.out());
  payload.append(blocks_.out());
  PageHeader header;
  header.codec = codec_id_;
  header.model_id = context_.model->id();
  header.attribute_table = context_.attributes->id();
  header.decoded_bytes = static_cast<std::uint32_t>(keys_bytes_ - count_ * prefix_bytes_ + count_);
  const auto has_gap = [](const Entry& entry) { return entry.gap_bytes != 0; };
  if (std::ranges::any_of(entries.first(count_), has_gap)) header.flags = kPageGaps;
  return make_encoded_page(header, std::move(payload).finish(), entries.first(count_),
                           prefix_bytes_);
}

Status TokenPageFiller::take(std::span<const Entry> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    DGFS_CHECK(check_entry(entry));
    has_gaps_ = has_gaps_ || entry.gap_bytes != 0;
    has_link_counts_ = has_link_counts_ || entry.link_count != 0;
    if (has_gaps_ && has_link_counts_) {
      if (i > 0) return ok();
      return Error(ErrorKind::kInvalidArgument, 2937, "a link record with a gap");
    }
    if (entry.key.find(kTextEnd) != std::string::npos) {
      return Error(ErrorKind::kInvalidArgument, 2933,
                   "the token codec holds no key with '/'");  // F-197
    }
    if (i > 0 && entries[i - 1].key >= entry.key) {
      return Error(ErrorKind::kInvalidArgument, 2934, "keys do not rise");
    }
    if (running_bytes(entry) > kFileBytesMax - data_bytes_) {
      return i > 0 ? Status(ok()) : Error(ErrorKind::kInvalidArgument, 2935, "data is too long");
    }
    if (!add(entries, i)) return ok();
  }
  return ok();
}

/// Length of the prefix that two keys share up to the end of a directory. Leaving it out of all
/// keys does not change the bits of the keys after the first.
std::size_t TokenPageFiller::prefix_of(std::string_view first, std::string_view last) const {
  return directory_bytes(first.substr(0, shared_prefix_bytes(first, last)));
}

void TokenPageFiller::write_first_key(std::string_view key, std::size_t prefix_bytes) {
  first_key_.out().clear();
  first_key_.bits(key.size() > prefix_bytes ? 1 : 0, 1);
  if (key.size() > prefix_bytes) first_key_.name(key.substr(prefix_bytes), {}, {});
}

/// Returns false, and changes nothing, if the page has no room for the entry.
bool TokenPageFiller::add(std::span<const Entry> entries, std::size_t index) {
  const auto& entry = entries[index];
  const bool is_first = index % kBlockEntries == 0;
  const auto prefix = prefix_of(entries.front().key, entry.key);
  if (index == 0 || prefix < prefix_bytes_) {
    write_first_key(entries.front().key, prefix);
    // If the entry is not taken, this first key is too long and is written again below.
  }
  const auto old_prefix =
      std::exchange(prefix_bytes_, index == 0 ? prefix : std::min(prefix, prefix_bytes_));
  if (is_first) begin_block(entries, index);
  const auto old_bits = blocks_.bit_count();
  rows_.add(entry,
            is_first ? std::nullopt : std::optional<std::string_view>(entries[index - 1].key),
            blocks_);
  const auto running = running_bytes(entry);
  block_data_bytes_ += running;
  keys_bytes_ += entry.key.size();
  ++count_;
  if (fits()) {
    data_bytes_ += running;
    return true;
  }
  --count_;
  keys_bytes_ -= entry.key.size();
  block_data_bytes_ -= running;
  blocks_.out().truncate(old_bits);
  if (index > 0 && prefix_bytes_ != old_prefix) {
    prefix_bytes_ = old_prefix;
    write_first_key(entries.front().key, old_prefix);
  }
  return false;
}

void TokenPageFiller::begin_block(std::span<const Entry> entries, std::size_t index) {
  if (index > 0) end_block();
  group_keys_kept_bits_ = group_keys_.bit_count();
  other_keys_kept_bits_ = other_keys_.bit_count();
  block_begin_bits_ = blocks_.bit_count();
  block_data_bytes_ = 0;
  rows_.begin_block(head_);
  if (index > 0) write_head_key(entries, index);
}

void TokenPageFiller::write_head_key(std::span<const Entry> entries, std::size_t index) {
  constexpr auto kGroupEntries = kGroupBlocks * kBlockEntries;
  if (index % kGroupEntries != 0) {
    write_next_key(entries[index - kBlockEntries].key, entries[index].key, kShareNone, other_keys_);
    return;
  }
  closed_groups_bits_.push_back(open_group_bits());
  widest_group_bits_ = std::max(widest_group_bits_, open_group_bits());
  group_begin_bits_ = other_keys_.bit_count();
  write_next_key(entries[index - kGroupEntries].key, entries[index].key, kShareNone, group_keys_);
}

/// Closes the open block. If it has no entries, removes its key.
void TokenPageFiller::end_block() {
  const auto bits = blocks_.bit_count() - block_begin_bits_;
  if (bits == 0) {
    group_keys_.out().truncate(group_keys_kept_bits_);
    return other_keys_.out().truncate(other_keys_kept_bits_);
  }
  closed_blocks_.push_back({bits, block_data_bytes_});
  widest_.bits = std::max<std::uint64_t>(widest_.bits, bits);
  widest_.data_bytes = std::max(widest_.data_bytes, block_data_bytes_);
}

std::size_t TokenPageFiller::tables_bits() const {
  const auto open_bits = blocks_.bit_count() - block_begin_bits_;
  const auto bits_width = std::bit_width(std::max<std::uint64_t>(widest_.bits, open_bits));
  const auto bytes_width = std::bit_width(std::max(widest_.data_bytes, block_data_bytes_));
  const auto group_width = std::bit_width(std::max(widest_group_bits_, open_group_bits()));
  return kBlockBitsWidthBits + kBlockBytesWidthBits + kGroupKeysWidthBits + kGroupBitsWidthBits +
         (closed_blocks_.size() + 1) * static_cast<std::size_t>(bits_width + bytes_width) +
         (closed_groups_bits_.size() + 1) * static_cast<std::size_t>(group_width);
}

void TokenPageFiller::write_tables(BitWriter& out) const {
  auto groups_bits = closed_groups_bits_;
  // The open group may have begun for a block that got no entries.
  if (groups_bits.size() * kGroupBlocks < closed_blocks_.size()) {
    groups_bits.push_back(open_group_bits());
  }
  const auto bits_width = static_cast<unsigned>(std::bit_width(widest_.bits));
  const auto bytes_width = static_cast<unsigned>(std::bit_width(widest_.data_bytes));
  const auto group_width = static_cast<unsigned>(
      std::bit_width(*std::max_element(groups_bits.begin(), groups_bits.end())));
  out.bits(bits_width, kBlockBitsWidthBits);
  out.bits(bytes_width, kBlockBytesWidthBits);
  out.bits(first_key_.bit_count() + group_keys_.bit_count(), kGroupKeysWidthBits);
  out.bits(group_width, kGroupBitsWidthBits);
  for (const auto& block : closed_blocks_) {
    out.bits(block.bits, bits_width);
    out.bits(block.data_bytes, bytes_width);
  }
  for (const auto bits : groups_bits) out.bits(bits, group_width);
}

bool TokenPageFiller::fits() const {
  const auto bits = page_head_.bit_count() + tables_bits() + first_key_.bit_count() +
                    group_keys_.bit_count() + other_keys_.bit_count() + blocks_.bit_count();
  return bits <= kPagePayloadBytesMax * 8 &&
         keys_bytes_ - count_ * prefix_bytes_ + count_ <= kPageDecodedBytesMax;
}

}  // namespace dgfs::format
