// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pages: how a long run is stored, so that one key of it can be had without reading all. A page is
// a run of its own, with what it says of a range of keys; the node that refers to the run has their
// places and checksums, so that one is read and checked alone (as RocksDB reads blocks of a table).
//
//   block  as of delta/store/disk/block_codec.h; or the codec 2, the number of pages, of each how
//          long it is stored: varints; then the pages, which are blocks as of block_codec.h, of
//          which those that are compressed have kCompressedBlockBytesMax at most together
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/disk/block_codec.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/run/run.h"
#include "format/coding.h"

namespace dgfs::delta {

/// Where the pages of a stored run are. A value. Thread-safe for reading. Nodes keep those of all
/// their runs, which is why a page takes 24 bytes and its low key here, and no allocation.
class RunPages {
 public:
  struct Page {
    /// Keys of the page are not below it, and below that of the next one. Of the first: empty.
    std::string low;
    std::uint64_t offset_bytes = 0;  ///< in the run's block
    std::uint64_t length_bytes = 0;
    std::uint64_t checksum = 0;
    bool has_tombstones = false;
  };

  /// None: the run is read as a whole.
  RunPages() = default;
  /// @param pages  two at least, in order, right behind each other
  explicit RunPages(const std::vector<Page>& pages);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] Page operator[](std::size_t page) const;
  [[nodiscard]] bool has_tombstones(std::size_t page) const {
    return entries_[page].has_tombstones;
  }
  /// Which page has `key`. This and all that follows: of one that is not empty.
  [[nodiscard]] std::size_t find(std::string_view key) const;
  /// Which has the keys right before `end`.
  [[nodiscard]] std::size_t find_before(const KeyEnd& end) const;
  /// The keys that only this page can have. Those of all pages are all keys.
  [[nodiscard]] KeyRange range(std::size_t page) const;
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const;

  /// Appends. As a node holds them: number, if any offset of the first; of each but the first low:
  /// string; of each twice its length, and 1 if it has range tombstones: varint, checksum: 8 bytes.
  void encode(format::Encoder& out) const;
  /// @param block_bytes  of the run's block
  /// Errors: kCorrupt.
  [[nodiscard]] static Result<RunPages> decode(format::Decoder& in, std::uint64_t block_bytes);

 private:
  struct Entry {
    std::uint64_t offset_bytes = 0;
    std::uint64_t checksum = 0;
    std::uint32_t low_end = 0;  ///< in lows_; the low key of the next page begins there
    bool has_tombstones = false;
  };

  void add(std::string_view low, const Entry& entry);
  [[nodiscard]] std::string_view low(std::size_t page) const;
  [[nodiscard]] std::uint64_t end_bytes(std::size_t page) const {
    return page + 1 == size() ? end_bytes_ : entries_[page + 1].offset_bytes;
  }

  std::vector<Entry> entries_;
  std::string lows_;             ///< of all pages, one after the other
  std::uint64_t end_bytes_ = 0;  ///< of the last page in the run's block
};

/// A run as its block is to be stored; Run::unpack() is its inverse.
/// @param page_bytes  of a page in memory, about, not 0; longer where what they begin with would
///                    take more than a sixteenth of the run; one with less than two has none
/// @param stored      gets the block
/// Errors: those of BlockPacker::pack.
[[nodiscard]] Result<RunPages> pack_run(const Run& run, std::size_t page_bytes, BlockPacker& packer,
                                        Buffer& stored);

/// What a page may take more than all of the run: its first and its last range tombstone may be
/// clipped to keys that are longer than where they begin and end.
inline constexpr std::size_t kClippedBytesMax = 2 * kKeyBytesMax;
/// A page alone.
/// @param run_bytes  of the run in memory, at most
/// Errors: as of Run::unpack().
[[nodiscard]] Result<RunRef> unpack_page(Bytes page, std::size_t run_bytes);

}  // namespace dgfs::delta
