// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SalvageIndex: what is left of the copies of a damaged index, put together.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/page/directory_block.h"
#include "format/page/page.h"
#include "reader/index/tables.h"
#include "reader/salvage/scan.h"

namespace dgfs::reader {

/// A page of which something is left. A value.
struct SalvagedPage {
  std::shared_ptr<storage::File> file;  ///< null where no copy has the page intact
  std::uint64_t offset = 0;             ///< in the file
  std::uint64_t checksum = 0;           ///< likewise, of what stands there
  /// What the page directory says of it; nullopt where that is lost.
  std::optional<format::PageRecord> record;
  /// Without a record: where the contents of the page begin, if that follows from its neighbours.
  std::optional<format::DataAddress> data;
};

/// Tells of a part of the index that is lost.
using TellLost = std::function<void(const std::string& what)>;

/// Filled by load(). For one thread, then constant and thread-safe.
class SalvageIndex {
 public:
  /// Numbers from here on are none of the index: of pages that only their records tell of, which
  /// are known to follow one another, but not what.
  static constexpr std::uint64_t kUnnumbered = std::uint64_t{1} << 52;

  /// @param superblock  if a copy has it
  /// @param regions     copies, the better one first
  /// Errors: kInterrupted; kCorrupt where there is no page at all.
  [[nodiscard]] static Result<SalvageIndex> load(std::optional<format::Superblock> superblock,
                                                 std::vector<IndexRegion> regions,
                                                 const TellLost& tell,
                                                 const std::atomic<bool>* stop);

  /// By number, from 0; numbers of which nothing is left are missing. See kUnnumbered.
  [[nodiscard]] const std::map<std::uint64_t, SalvagedPage>& pages() const { return pages_; }
  /// All entries of a page, decoded. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<std::shared_ptr<const format::DecodedPage>> rows(
      const SalvagedPage& page) const;
  [[nodiscard]] const std::optional<format::Superblock>& superblock() const { return superblock_; }
  [[nodiscard]] const std::vector<IndexRegion>& regions() const { return regions_; }
  [[nodiscard]] const std::vector<format::VolumeRecord>& volumes() const { return volumes_; }
  [[nodiscard]] format::ContentDictionaries take_content_dictionaries() {
    return std::move(content_dictionaries_);
  }
  /// Where a section of side records begins, from the base of a copy; nullopt where unknown.
  [[nodiscard]] std::optional<std::uint64_t> records_offset(format::SectionKind kind) const;

 private:
  struct Block;
  [[nodiscard]] std::vector<Block> load_blocks(const std::vector<FoundPieces>& found) const;
  void drop_strangers(std::vector<FoundPieces>& found);
  void align_regions(const std::vector<FoundPieces>& found);
  void load_tables(const std::vector<Block>& blocks, const TellLost& tell);
  void load_pages(const std::vector<FoundPieces>& found);
  void load_records(const std::vector<Block>& blocks, const TellLost& tell);
  void add_records(std::vector<format::PageRecord> records);
  void drop_claimed_pages();
  [[nodiscard]] bool is_first_page_known() const;
  [[nodiscard]] bool has_root(const SalvagedPage& page) const;
  [[nodiscard]] bool has_several_volumes() const;
  void place_contents(const TellLost& tell);
  void place_forwards();
  void place_backwards();
  void name_first_page();
  [[nodiscard]] std::optional<std::uint64_t> contents_bytes(const SalvagedPage& page) const;
  void find_records();

  std::optional<format::Superblock> superblock_;
  std::vector<IndexRegion> regions_;
  std::map<std::uint64_t, SalvagedPage> pages_;
  std::map<std::uint64_t, std::uint64_t> number_of_;  // checksum of a page -> number
  std::map<std::uint64_t, SalvagedPage> found_;       // likewise -> the page, wherever it belongs
  std::set<std::uint64_t> claimed_;                   // by records
  bool are_numbers_known_ = false;                    // of pages, not only their order
  std::uint64_t next_ordinal_ = 0;                    // behind the records so far
  std::uint64_t next_number_ = 0;                     // likewise
  std::unique_ptr<Dictionaries> dictionaries_;
  format::ContentDictionaries content_dictionaries_;
  std::vector<format::VolumeRecord> volumes_;
  std::map<format::SectionKind, std::uint64_t> records_offsets_;
};

}  // namespace dgfs::reader
