// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/salvage/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "format/coding.h"
#include "format/entry/mode.h"
#include "format/header/section.h"
#include "format/limits.h"
#include "format/section/side_refs.h"

namespace dgfs::reader {
namespace {

using format::SectionKind;

// Bytes behind the last page in which find_records() searches for sections of records.
constexpr std::uint64_t kRecordsSearchBytesMax = std::uint64_t{64} << 20;
constexpr std::size_t kProbedRefs = 8;
constexpr std::uint64_t kUnknown = 0;  // unknown place in a volume: offset 0 never holds contents

// The loaded dictionaries, with a substitute for each lost attribute table.
class WithSubstitutes final : public format::PageDictionaries {
 public:
  explicit WithSubstitutes(const Dictionaries& dictionaries)
      : dictionaries_(dictionaries), substitute_(format::AttributeTable::substitute(0)) {}

  const format::Model* model(std::uint16_t id) const override { return dictionaries_.model(id); }
  const format::AttributeTable* attribute_table(std::uint16_t id) const override {
    const auto* table = dictionaries_.attribute_table(id);
    return table != nullptr ? table : &substitute_;
  }

 private:
  const Dictionaries& dictionaries_;
  format::AttributeTable substitute_;
};

// Begin of the contents of a page, or kUnknown.
std::uint64_t begin_of(const SalvagedPage& page) {
  if (page.record) return page.record->first_data_offset;
  return page.data ? page.data->offset_bytes : kUnknown;
}

template <class Use>
void each_piece(const FoundPieces& found, const Use& use) {
  for (const auto& page : found.pages) use(page);
  for (const auto& block : found.blocks) use(block);
}

Result<Buffer> body_of(const storage::File& file, const FoundBlock& block) {
  Buffer bytes(static_cast<std::size_t>(block.length));
  DGFS_CHECK(storage::read_exactly(file, block.offset, bytes));
  DGFS_TRY(opened, format::open_block(block.kind, bytes));
  return std::move(opened.body);
}

// Whether the page directory in a region has a record for one of these pages, by checksum.
bool names_page(const IndexRegion& region, const FoundPieces& found,
                const std::set<std::uint64_t>& pages) {
  return std::any_of(found.blocks.begin(), found.blocks.end(), [&](const FoundBlock& block) {
    if (block.kind != SectionKind::kPageDirectory) return false;
    const auto body = body_of(*region.file, block);
    const auto records = body ? format::decode_page_block(body.assume_value())
                              : Result<std::vector<format::PageRecord>>(body.assume_error());
    if (!records) return false;
    const auto& list = records.assume_value();
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& record) { return pages.contains(record.checksum); });
  });
}

// The prefix of the page with the root, found by comparing its first key with the root's key.
// nullopt if this is not that page.
// @param is_certain  the page is known to be the first
std::optional<std::string> prefix_of_first_page(const format::DecodedPage& rows, bool is_certain) {
  constexpr std::string_view kRootKey("\0", 1);
  if (rows.key(0) == kRootKey) return std::string();
  const bool is_rest = rows.key(0).empty() && format::is_directory(rows.mode(0));
  return is_rest && is_certain ? std::optional(std::string(kRootKey)) : std::nullopt;
}

}  // namespace

// A sealed block from one of the copies, with its place in the index.
struct SalvageIndex::Block {
  SectionKind kind;
  std::uint64_t place = 0;
  Buffer body;
};

Result<SalvageIndex> SalvageIndex::load(std::optional<format::Superblock> superblock,
                                        std::uint64_t incompat, std::vector<IndexRegion> regions,
                                        const TellLost& tell, const std::atomic<bool>* stop) {
  SalvageIndex index;
  index.superblock_ = std::move(superblock);
  index.incompat_ = incompat;
  index.regions_ = std::move(regions);
  index.dictionaries_ = std::make_unique<Dictionaries>();
  std::vector<FoundPieces> found;
  for (const auto& region : index.regions_) {
    DGFS_TRY(pieces, scan_region(region, stop));
    found.push_back(std::move(pieces));
  }
  index.align_regions(found);
  index.drop_strangers(found);
  const auto blocks = index.load_blocks(found);
  index.load_tables(blocks, tell);
  index.load_pages(found);
  index.load_records(blocks, tell);
  if (index.number_of_.empty()) {
    return Error(ErrorKind::kCorrupt, 3202, "no page of an index is left, so nothing has a name");
  }
  index.place_contents(tell);
  index.find_records();
  return index;
}

// Finds the unknown begin of a copy by a page or block that another copy has too. Without one,
// guesses that the first page found is the first of the index.
void SalvageIndex::align_regions(const std::vector<FoundPieces>& found) {
  std::map<std::uint64_t, std::uint64_t> known;  // checksum -> offset in the index
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (regions_[i].has_contents) continue;
    each_piece(found[i], [&](const auto& piece) {
      known.emplace(piece.checksum, piece.offset - regions_[i].base);
    });
  }
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    auto& region = regions_[i];
    if (!region.has_contents || found[i].pages.empty()) continue;
    region.base = found[i].pages.front().offset - format::kPageBytes;
    region.is_base_guessed = true;
    each_piece(found[i], [&](const auto& piece) {
      const auto same = known.find(piece.checksum);
      if (!region.is_base_guessed || same == known.end() || same->second > piece.offset) return;
      region.base = piece.offset - same->second;
      region.is_base_guessed = false;
    });
  }
}

// Drops doubtful regions that are not copies of this index. A region stays if each of its pieces at
// the place of a trusted piece equals that piece, and there is at least one such piece, or its page
// directory names a page of a trusted copy.
void SalvageIndex::drop_strangers(std::vector<FoundPieces>& found) {
  std::map<std::uint64_t, std::uint64_t> trusted;  // offset in the index -> checksum
  std::set<std::uint64_t> trusted_pages;           // checksums
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (regions_[i].is_doubtful) continue;
    for (const auto& page : found[i].pages) trusted_pages.insert(page.checksum);
    each_piece(found[i], [&](const auto& piece) {
      trusted.emplace(piece.offset - regions_[i].base, piece.checksum);
    });
  }
  for (std::size_t i = regions_.size(); i-- > 0 && regions_.size() > 1;) {
    if (!regions_[i].is_doubtful) continue;
    std::size_t same = 0;
    std::size_t other = 0;
    each_piece(found[i], [&](const auto& piece) {
      const auto there = trusted.find(piece.offset - regions_[i].base);
      if (there != trusted.end()) ++(there->second == piece.checksum ? same : other);
    });
    if (other == 0 && (same != 0 || names_page(regions_[i], found[i], trusted_pages))) continue;
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
    regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::vector<SalvageIndex::Block> SalvageIndex::load_blocks(
    const std::vector<FoundPieces>& found) const {
  std::map<std::uint64_t, Block> blocks;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    for (const auto& block : found[i].blocks) {
      const auto place = block.offset - regions_[i].base;
      if (blocks.contains(place)) continue;
      auto body = body_of(*regions_[i].file, block);
      if (body) blocks[place] = {block.kind, place, std::move(body).assume_value()};
    }
  }
  std::vector<Block> list;
  for (auto& [place, block] : blocks) list.push_back(std::move(block));
  return list;
}

// Takes the first of two tables with the same id. Ignores errors: they come from a second table, or
// from a body that no builder wrote.
void SalvageIndex::load_tables(const std::vector<Block>& blocks, const TellLost& tell) {
  std::set<SectionKind> seen;
  for (const auto& block : blocks) {
    seen.insert(block.kind);
    if (block.kind == SectionKind::kModels) {
      auto model = decode_model(block.body);
      if (model) static_cast<void>(dictionaries_->add(std::move(model).assume_value()));
    } else if (block.kind == SectionKind::kAttributeTables) {
      auto table = format::AttributeTable::decode(block.body);
      if (table) static_cast<void>(dictionaries_->add(std::move(table).assume_value()));
    } else if (block.kind == SectionKind::kDictionaries) {
      auto dictionary = format::decode_content_dictionary(block.body);
      if (!dictionary) continue;
      static_cast<void>(content_dictionaries_.add(std::move(dictionary).assume_value()));
    } else if (block.kind == SectionKind::kVolumes && volumes_.empty()) {
      auto table = format::decode_volume_table(block.body);
      if (table) volumes_ = std::move(table).assume_value();
    } else if (block.kind == SectionKind::kVolumeOrigins && origins_.empty()) {
      auto origins = format::decode_volume_origins(block.body);
      if (origins) origins_ = std::move(origins).assume_value();
    }
  }
  if (!seen.contains(SectionKind::kAttributeTables)) {
    tell("the attribute tables: owners are not restored, and permissions are for the owner alone");
  }
}

void SalvageIndex::load_pages(const std::vector<FoundPieces>& found) {
  const auto first =
      superblock_ ? superblock_->section(SectionKind::kPages).offset_bytes : format::kPageBytes;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (!regions_[i].is_base_guessed && !found[i].pages.empty()) are_numbers_known_ = true;
  }
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    for (const auto& page : found[i].pages) {
      found_.emplace(page.checksum,
                     SalvagedPage{regions_[i].file, page.offset, page.checksum, {}, {}});
      // A guessed number must not compete with known ones: the page is skipped here, and records
      // can still find it by checksum. The page with the root has number 0 in any case.
      const bool is_placed = !regions_[i].is_base_guessed || !are_numbers_known_;
      if (!is_placed && !has_root(found_.at(page.checksum))) continue;
      const auto place = is_placed ? page.offset - regions_[i].base : first;
      if (place < first) continue;
      const auto number = (place - first) / format::kPageBytes;
      if (!number_of_.emplace(page.checksum, number).second) continue;
      auto& slot = pages_[number];
      if (slot.file) continue;
      slot.file = regions_[i].file;
      slot.offset = page.offset;
      slot.checksum = page.checksum;
    }
  }
}

void SalvageIndex::load_records(const std::vector<Block>& blocks, const TellLost& tell) {
  std::map<std::uint64_t, std::vector<format::PageRecord>> runs;  // key: first ordinal
  for (const auto& block : blocks) {
    if (block.kind != SectionKind::kPageDirectory) continue;
    auto records = format::decode_page_block(block.body);
    if (!records || records.assume_value().empty()) continue;
    const auto first = records.assume_value().front().first_ordinal;
    runs.emplace(first, std::move(records).assume_value());
  }
  for (auto& [first, records] : runs) add_records(std::move(records));
  drop_claimed_pages();
  std::uint64_t without = 0;
  for (const auto& [number, page] : pages_) without += page.record ? 0U : 1U;
  if (without != 0) {
    tell(
        fmt::format("the page directory's records of {} pages: names in them may lack their "
                    "beginning",
                    without));
    if (!superblock_) tell("the number of pages: some may have come after the last one");
  }
}

// Records follow one another as pages do, so the number of one found page gives the numbers of all
// in the run.
void SalvageIndex::add_records(std::vector<format::PageRecord> records) {
  std::optional<std::uint64_t> first;
  for (std::size_t i = 0; i < records.size() && !first; ++i) {
    const auto found = number_of_.find(records[i].checksum);
    if (found != number_of_.end() && found->second >= i) first = found->second - i;
  }
  // A run of records is lost before this one, and no page of this one is found, so its numbers are
  // unknown.
  if (!first && records.front().first_ordinal != next_ordinal_) {
    first = std::max(kUnnumbered, pages_.empty() ? 0 : pages_.rbegin()->first + 2);
  }
  auto number = first.value_or(next_number_);
  for (auto& record : records) {
    auto& page = pages_[number];
    if (page.record) return;  // another run already has this page
    // Replaces the page at this number, which may be another one.
    const auto found = found_.find(record.checksum);
    page = found == found_.end() ? SalvagedPage() : found->second;
    claimed_.insert(record.checksum);
    next_ordinal_ = record.first_ordinal + record.entry_count;
    page.record = std::move(record);
    ++number;
  }
  next_number_ = number;
}

// Removes a second place of a page that a record names, because the record has the right number.
void SalvageIndex::drop_claimed_pages() {
  std::erase_if(pages_, [this](const auto& item) {
    return !item.second.record && claimed_.contains(item.second.checksum);
  });
}

// The first page is known if page numbers are known, or by the root's key, which only the first
// page has.
bool SalvageIndex::is_first_page_known() const {
  const auto first = pages_.find(0);
  if (first == pages_.end() || !first->second.file) return false;
  return are_numbers_known_ || first->second.record || has_root(first->second);
}

bool SalvageIndex::has_root(const SalvagedPage& page) const {
  const auto decoded = rows(page);
  return decoded && prefix_of_first_page(*decoded.assume_value(), false).has_value();
}

Result<std::shared_ptr<const format::DecodedPage>> SalvageIndex::rows(
    const SalvagedPage& page) const {
  Buffer bytes(format::kPageBytes);
  DGFS_CHECK(storage::read_exactly(*page.file, page.offset, bytes));
  const WithSubstitutes dictionaries(*dictionaries_);
  DGFS_TRY(opened, format::open_page(bytes, dictionaries));
  DGFS_TRY(rows, opened->decode());
  return rows;
}

std::optional<std::uint64_t> SalvageIndex::contents_bytes(const SalvagedPage& page) const {
  if (!page.file) return std::nullopt;
  const auto decoded = rows(page);
  if (!decoded) return std::nullopt;
  return decoded.assume_value()->data_offset(decoded.assume_value()->size());
}

bool SalvageIndex::has_several_volumes() const {
  return volumes_.size() > 1 || !origins_.empty() ||
         (incompat_ & (format::feature::kIncompatVolumes | format::feature::kIncompatGaps)) != 0 ||
         std::any_of(pages_.begin(), pages_.end(), [](const auto& item) {
           return item.second.record && item.second.record->volume != 0;
         });
}

// F-310. In an image of one volume, the contents of a page begin at the end of those of the page
// before. With several volumes, and so wherever there are gaps, the begin cannot be derived, and a
// wrong guess would not be noticed: other contents at that place have valid checksums, too.
void SalvageIndex::place_contents(const TellLost& tell) {
  if (!has_several_volumes()) {
    place_forwards();
    place_backwards();
  }
  name_first_page();
  const auto unplaced = std::count_if(pages_.begin(), pages_.end(), [](const auto& item) {
    return !item.second.record && item.second.file && !item.second.data;
  });
  if (unplaced != 0) tell(fmt::format("where the contents of {} pages begin", unplaced));
}

// Decodes a page with a known place of contents only if the next page needs it.
void SalvageIndex::place_forwards() {
  std::uint64_t end = kUnknown;  // end of the contents of page `next` - 1
  std::uint64_t next = 0;
  const bool is_first_known = is_first_page_known();
  for (auto& [number, page] : pages_) {
    if (number != next) end = kUnknown;
    if (number == 0 && is_first_known) end = format::kPageBytes;
    next = number + 1;
    if (!page.record && page.file && end != kUnknown) page.data = {0, end};
    const auto begin = begin_of(page);
    const auto follower = pages_.find(next);
    const bool needed = follower != pages_.end() && !follower->second.record;
    const auto bytes = begin != kUnknown && needed ? contents_bytes(page) : std::nullopt;
    end = bytes ? begin + *bytes : kUnknown;
  }
}

void SalvageIndex::place_backwards() {
  std::uint64_t begin = kUnknown;  // begin of the contents of page `after`
  std::uint64_t after = 0;
  for (auto item = pages_.rbegin(); item != pages_.rend(); ++item) {
    auto& [number, page] = *item;
    if (number + 1 != after) begin = kUnknown;
    after = number;
    if (!page.record && page.file && !page.data && begin != kUnknown) {
      const auto bytes = contents_bytes(page);
      if (bytes && *bytes < begin) page.data = {0, begin - *bytes};
    }
    begin = begin_of(page);
  }
}

// Makes the record of the first page, because its prefix is known from the root's key.
void SalvageIndex::name_first_page() {
  const auto first = pages_.find(0);
  if (first == pages_.end() || first->second.record || !first->second.data) return;
  const auto decoded = rows(first->second);
  if (!decoded) return;
  const auto prefix = prefix_of_first_page(*decoded.assume_value(), are_numbers_known_);
  if (!prefix) return;
  format::PageRecord record;
  record.prefix = *prefix;
  record.entry_count = static_cast<std::uint32_t>(decoded.assume_value()->size());
  record.first_data_offset = first->second.data->offset_bytes;
  first->second.record = std::move(record);
}

std::optional<std::uint64_t> SalvageIndex::records_offset(SectionKind kind) const {
  if (superblock_) return superblock_->section(kind).offset_bytes;
  const auto found = records_offsets_.find(kind);
  return found == records_offsets_.end() ? std::nullopt : std::optional(found->second);
}

// Without a superblock, finds a section of records by trying offsets until a record that a page
// refers to opens. The match is certain, because the seed of a record's checksum is its offset in
// the section.
void SalvageIndex::find_records() {
  if (superblock_) return;
  std::map<SectionKind, std::vector<format::SideRef>> refs;
  const auto note = [&](SectionKind kind, const format::SideRef& ref) {
    if (ref.present() && refs[kind].size() < kProbedRefs) refs[kind].push_back(ref);
  };
  for (const auto& [number, page] : pages_) {
    const auto decoded = page.file ? rows(page) : Error(ErrorKind::kCorrupt, 3203, "lost");
    if (!decoded) continue;
    for (std::size_t i = 0; i < decoded.assume_value()->size(); ++i) {
      const auto entry = decoded.assume_value()->entry(i);
      for (const auto& side : format::kSideRefs) note(side.kind, entry.*side.ref);
    }
  }
  const auto unnumbered = pages_.lower_bound(kUnnumbered);
  if (unnumbered == pages_.begin()) return;
  const auto pages_end = (std::prev(unnumbered)->first + 2) * format::kPageBytes;
  for (const auto& region : regions_) {
    const auto begin = region.base + pages_end;
    if (begin >= region.end) continue;
    Buffer bytes(static_cast<std::size_t>(std::min(kRecordsSearchBytesMax, region.end - begin)));
    const auto read = region.file->read_at(begin, MutableBytes(bytes));
    bytes.resize(read ? read.assume_value() : 0);
    for (const auto& [kind, member] : format::kSideRefs) {
      for (const auto& ref : refs[kind]) {
        for (std::size_t at = 0; !records_offsets_.contains(kind) && at < bytes.size(); at += 8) {
          if (ref.offset_bytes + ref.length_bytes > bytes.size() - at) break;
          const auto record = Bytes(bytes).subspan(at + ref.offset_bytes, ref.length_bytes);
          if (format::open_record(kind, ref.offset_bytes, record)) {
            records_offsets_[kind] = pages_end + at;
          }
        }
      }
    }
  }
}

}  // namespace dgfs::reader
