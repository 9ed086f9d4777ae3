// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The page directory. For each index page, in key order, it holds what the page itself does not
// know: zone, prefix, least key, first ordinal, first data offset, volume and checksum. Every
// reader holds it in memory. Record i describes the page at byte kPageBytes * i of the pages
// section.
//
// On disk it is a sequence of blocks of at most kPageDirectoryBlockRecords records. Each is a
// sealed block of a section (format/header/section.h) and can be decoded alone. A root holds the
// first key, ordinal and place of each block, so that a reader may leave a large directory on disk
// and read single blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/page/directory_block.h"

namespace dgfs::format {

/// Views strings of a PageDirectory, which must outlive it.
using PageRecordView = BasicPageRecord<std::string_view>;

/// The shortest separator for a page (see PageRecord::separator).
/// @param previous_last_key  full last key of the page before in the same zone; nullopt if there is
///                           none
[[nodiscard]] std::string make_separator(const std::optional<std::string>& previous_last_key,
                                         std::string_view first_key, std::string_view prefix);

/// All records, searchable. Immutable after construction, thread-safe. Strings are in one arena.
/// Memory: see memory_bytes() (about 64 bytes a page plus its prefix and separator).
class PageDirectory {
 public:
  /// Takes the blocks in order.
  class Loader;

  /// Errors: kCorrupt if (zone, bound) or ordinals do not rise strictly, or ordinals do not start
  /// at 0.
  [[nodiscard]] static Result<PageDirectory> make(std::vector<PageRecord> records);

  [[nodiscard]] std::size_t size() const { return pages_.size(); }
  [[nodiscard]] Ordinal entry_count() const { return entry_count_; }
  [[nodiscard]] PageRecordView record(std::size_t page) const;
  [[nodiscard]] std::string_view prefix(std::size_t page) const;
  /// prefix + separator as one string: the least key that the page may hold.
  [[nodiscard]] std::string_view bound(std::size_t page) const;
  [[nodiscard]] Ordinal first_ordinal(std::size_t page) const;
  /// One more than the last ordinal of the page.
  [[nodiscard]] Ordinal end_ordinal(std::size_t page) const {
    return page + 1 < size() ? first_ordinal(page + 1) : entry_count_;
  }

  /// The only page that can hold (zone, key); nullopt if none can.
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t zone, std::string_view key) const;
  /// The page that holds the ordinal; nullopt beyond the end.
  [[nodiscard]] std::optional<std::size_t> find_ordinal(Ordinal ordinal) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// The pages of one zone, up to the first page of the next zone.
  struct Zone {
    std::uint64_t zone = 0;
    std::size_t first_page = 0;
  };
  /// One level of a tree over the bounds, so that a search touches few of the bounds, which lie far
  /// apart in memory. Item i of level n has the bound of page i * 64^n. Items form groups of 64;
  /// the last level has one group. For each group, the level stores how many bytes its bounds
  /// share. For each item, it stores the 8 bytes of the bound after the shared ones, as a number
  /// that sorts in the same order.
  struct Level {
    std::vector<std::uint32_t> shared_bytes;
    std::vector<std::uint64_t> heads;
  };
  static constexpr unsigned kGroupBits = 6;
  static constexpr std::size_t kGroupItems = std::size_t{1} << kGroupBits;

  /// Call it once, after all records are there.
  void prepare_search();
  void add_level();
  [[nodiscard]] std::string_view bound_of_item(std::size_t level, std::size_t item) const {
    return bound(item << (level * kGroupBits));
  }
  /// The last page of [begin, end) whose bound is not above `key`; `end` if there is none. The
  /// pages must be of one zone.
  [[nodiscard]] std::size_t last_not_above(std::size_t begin, std::size_t end,
                                           std::string_view key) const;
  /// How many of the items [begin, end) have a bound not above `key`. They must be of one group and
  /// zone.
  [[nodiscard]] std::size_t count_not_above(std::size_t level, std::size_t begin, std::size_t end,
                                            std::string_view key) const;
  /// F-243: adds the entries of `page` to the count; all pages before it must be counted.
  [[nodiscard]] Status count_entries(std::size_t page);
  /// F-242: checks that `page` comes after the page before it.
  [[nodiscard]] Status check_order(std::size_t page) const;

  std::vector<PackedPageRecord> pages_;
  std::string arena_;  ///< the bounds of all pages
  Ordinal entry_count_ = 0;
  std::vector<Zone> zones_;
  std::vector<Level> levels_;
};

/// Fills a directory directly, without PageRecords, which have strings of their own.
class PageDirectory::Loader {
 public:
  /// @param page_count  expected number of pages: avoids moving the directory as it grows
  explicit Loader(std::uint64_t page_count);
  /// Adds the records of one block. After an error the loader must not be used any more. Errors:
  /// kCorrupt, as for decode_page_block() and make().
  [[nodiscard]] Status add(Bytes body);
  [[nodiscard]] std::size_t page_count() const { return directory_.pages_.size(); }
  /// Length of all bounds so far.
  [[nodiscard]] std::uint64_t bound_bytes() const { return directory_.arena_.size(); }
  [[nodiscard]] PageDirectory finish() &&;

 private:
  PageDirectory directory_;
};

}  // namespace dgfs::format
