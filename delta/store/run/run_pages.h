// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pages: how a long run is stored, so that one key can be read without the whole run. A page is a
// run of its own for a range of keys. The node that refers to the run has the places and checksums
// of its pages, so that a page is read and checked alone (as RocksDB reads blocks of a table).
//
//   block  as of delta/store/disk/block_codec.h; or, with pages: the codec 2, the number of pages,
//          of each its stored length: varints; then the pages, each as of block_codec.h. The pages
//          that are compressed have at most kCompressedBlockBytesMax together.
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

/// Where the pages of a stored run are. A value. Thread-safe for reading. Nodes keep the pages of
/// all their runs, so a page takes only 24 bytes plus its low key here, and no allocation.
class RunPages {
 public:
  struct Page {
    /// Keys of the page are not below it, and are below that of the next page. Empty for the first
    /// page.
    std::string low;
    std::uint64_t offset_bytes = 0;  ///< in the run's block
    std::uint64_t length_bytes = 0;
    std::uint64_t checksum = 0;
    bool has_tombstones = false;
  };

  /// No pages: the run is read as a whole.
  RunPages() = default;
  /// @param pages  at least two, in order, without gaps
  explicit RunPages(const std::vector<Page>& pages);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] Page operator[](std::size_t page) const;
  [[nodiscard]] bool has_tombstones(std::size_t page) const {
    return entries_[page].has_tombstones;
  }
  /// The page that has `key`. Like the following, for a run that has pages.
  [[nodiscard]] std::size_t find(std::string_view key) const;
  /// The page that has the keys right before `end`.
  [[nodiscard]] std::size_t find_before(const KeyEnd& end) const;
  /// The keys that only this page can have. Together the pages have all keys.
  [[nodiscard]] KeyRange range(std::size_t page) const;
  /// Roughly its memory.
  [[nodiscard]] std::size_t size_bytes() const;

  /// Appends the form in nodes: number of pages; if not 0, the offset of the first; low key of each
  /// but the first: string; for each, its length times two, plus 1 if it has range tombstones:
  /// varint; checksum: 8 bytes.
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

/// The stored form of a run; Run::unpack() is the inverse.
/// @param page_bytes  roughly, of a page in memory; not 0. Pages get longer if their low keys would
///                    take more than a sixteenth of the run. A run that fits into one page gets no
///                    pages.
/// @param stored      gets the block
/// Errors: those of BlockPacker::pack.
[[nodiscard]] Result<RunPages> pack_run(const Run& run, std::size_t page_bytes, BlockPacker& packer,
                                        Buffer& stored);

/// A page may take this much more memory than its whole run: its first and last range tombstones
/// may be clipped to keys that are longer than their own start and end.
inline constexpr std::size_t kClippedBytesMax = 2 * kKeyBytesMax;
/// Decodes a page.
/// @param run_bytes  the most that the run takes in memory
/// Errors: as of Run::unpack().
[[nodiscard]] Result<RunRef> unpack_page(Bytes page, std::size_t run_bytes);

}  // namespace dgfs::delta
