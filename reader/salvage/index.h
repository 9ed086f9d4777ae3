// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SalvageIndex: combines the intact pieces of all copies of a damaged index.
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
#include "format/section/volume_origins.h"
#include "reader/index/tables.h"
#include "reader/salvage/scan.h"

namespace dgfs::reader {

/// A page with at least its bytes or its record intact. A value.
struct SalvagedPage {
  std::shared_ptr<storage::File> file;  ///< null if no copy has the page intact
  std::uint64_t offset = 0;             ///< in the file
  std::uint64_t checksum = 0;           ///< of the page at that offset
  /// Record in the page directory; nullopt if it is lost.
  std::optional<format::PageRecord> record;
  /// Without a record: where the contents of the page begin, if the neighbours tell it.
  std::optional<format::DataAddress> data;
};

/// Reports a lost part of the index.
using TellLost = std::function<void(const std::string& what)>;

/// load() fills it on one thread; then it is constant and thread-safe.
class SalvageIndex {
 public:
  /// First artificial page number. Numbers from here on go to pages that are known only from their
  /// records, if the records tell only the order of these pages and not their place in the index.
  static constexpr std::uint64_t kUnnumbered = std::uint64_t{1} << 52;

  /// @param superblock  if a copy has an intact one
  /// @param incompat    feature bits of any intact header page
  /// @param regions     copies of the index, the better one first
  /// Errors: kInterrupted; kCorrupt if no page is left.
  [[nodiscard]] static Result<SalvageIndex> load(std::optional<format::Superblock> superblock,
                                                 std::uint64_t incompat,
                                                 std::vector<IndexRegion> regions,
                                                 const TellLost& tell,
                                                 const std::atomic<bool>* stop);

  /// Pages by number, from 0. Pages with neither bytes nor record left are missing. See
  /// kUnnumbered.
  [[nodiscard]] const std::map<std::uint64_t, SalvagedPage>& pages() const { return pages_; }
  /// All entries of a page, decoded. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<std::shared_ptr<const format::DecodedPage>> rows(
      const SalvagedPage& page) const;
  [[nodiscard]] const std::optional<format::Superblock>& superblock() const { return superblock_; }
  [[nodiscard]] const std::vector<IndexRegion>& regions() const { return regions_; }
  [[nodiscard]] const std::vector<format::VolumeRecord>& volumes() const { return volumes_; }
  [[nodiscard]] const std::vector<format::VolumeOrigin>& origins() const { return origins_; }
  [[nodiscard]] format::ContentDictionaries take_content_dictionaries() {
    return std::move(content_dictionaries_);
  }
  /// Offset of a section of side records in the index; nullopt if unknown.
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
  std::uint64_t incompat_ = 0;
  std::vector<IndexRegion> regions_;
  std::map<std::uint64_t, SalvagedPage> pages_;
  std::map<std::uint64_t, std::uint64_t> number_of_;  // checksum of a page -> number
  std::map<std::uint64_t, SalvagedPage> found_;       // checksum of a page -> page
  std::set<std::uint64_t> claimed_;                   // checksums that records name
  bool are_numbers_known_ = false;                    // the numbers of pages, not only their order
  std::uint64_t next_ordinal_ = 0;                    // end of the records so far
  std::uint64_t next_number_ = 0;                     // likewise
  std::unique_ptr<Dictionaries> dictionaries_;
  format::ContentDictionaries content_dictionaries_;
  std::vector<format::VolumeRecord> volumes_;
  std::vector<format::VolumeOrigin> origins_;
  std::map<format::SectionKind, std::uint64_t> records_offsets_;
};

}  // namespace dgfs::reader
