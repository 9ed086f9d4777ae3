// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The page directory: for each index page, in key order, what the page itself does not know: its
// zone, prefix, least key, first ordinal, first data offset, volume, and checksum. Held in memory
// by every reader; record i describes the page at byte kPageBytes * i of the pages section.
//
// On disk it is a sequence of blocks of at most kPageDirectoryBlockRecords records, each a sealed
// section block (format/header/section.h) that decodes on its own, with a root that holds each
// block's first key, ordinal and place: large directories can be kept on disk and read by the
// block.
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

/// Points into a PageDirectory, which must outlive it.
using PageRecordView = BasicPageRecord<std::string_view>;

/// Shortest separator for a page (see PageRecord::separator).
/// @param previous_last_key  full last key of the page before in the same zone; nullopt if none
[[nodiscard]] std::string make_separator(const std::optional<std::string>& previous_last_key,
                                         std::string_view first_key, std::string_view prefix);

/// All records, searchable. Immutable after construction, thread-safe. Keeps strings in one arena:
/// memory is stated by memory_bytes() (about 64 bytes a page plus its prefix and separator).
class PageDirectory {
 public:
  /// Consumes blocks in order.
  class Loader;

  /// Errors: kCorrupt if (zone, key bound) or ordinals do not rise strictly or start at 0.
  [[nodiscard]] static Result<PageDirectory> make(std::vector<PageRecord> records);

  [[nodiscard]] std::size_t size() const { return pages_.size(); }
  [[nodiscard]] Ordinal entry_count() const { return entry_count_; }
  [[nodiscard]] PageRecordView record(std::size_t page) const;
  [[nodiscard]] std::string_view prefix(std::size_t page) const;
  /// prefix + separator as one string: the least key the page may hold.
  [[nodiscard]] std::string_view bound(std::size_t page) const;
  [[nodiscard]] Ordinal first_ordinal(std::size_t page) const;
  /// One behind the last ordinal of the page.
  [[nodiscard]] Ordinal end_ordinal(std::size_t page) const {
    return page + 1 < size() ? first_ordinal(page + 1) : entry_count_;
  }

  /// The only page that can hold (zone, key); nullopt if none can.
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t zone, std::string_view key) const;
  /// The page that holds the ordinal; nullopt beyond the end.
  [[nodiscard]] std::optional<std::size_t> find_ordinal(Ordinal ordinal) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// Pages of one zone; it ends where the next one begins.
  struct Zone {
    std::uint64_t zone = 0;
    std::size_t first_page = 0;
  };
  /// One level of a tree over the bounds: item i of level n has the bound of page i * 64^n, and is
  /// one of a group of 64, of the last level the only one. Of each group, it says how many bytes
  /// its bounds share; of each item, the 8 bytes of its bound after those, as a number that sorts
  /// as they do. So a search touches few bounds, which lie far apart.
  struct Level {
    std::vector<std::uint32_t> shared_bytes;
    std::vector<std::uint64_t> heads;
  };
  static constexpr unsigned kGroupBits = 6;
  static constexpr std::size_t kGroupItems = std::size_t{1} << kGroupBits;

  /// To be called once, when all records are there.
  void prepare_search();
  void add_level();
  [[nodiscard]] std::string_view bound_of_item(std::size_t level, std::size_t item) const {
    return bound(item << (level * kGroupBits));
  }
  /// The last page of [begin, end), pages of one zone, whose bound is not above `key`; end if none.
  [[nodiscard]] std::size_t last_not_above(std::size_t begin, std::size_t end,
                                           std::string_view key) const;
  /// How many of the items [begin, end), of one group and zone, have a bound not above `key`.
  [[nodiscard]] std::size_t count_not_above(std::size_t level, std::size_t begin, std::size_t end,
                                            std::string_view key) const;
  /// F-243: counts the entries of page `page`, which follows those counted so far.
  [[nodiscard]] Status count_entries(std::size_t page);
  /// F-242: that page `page` is behind the one before.
  [[nodiscard]] Status check_order(std::size_t page) const;

  std::vector<PackedPageRecord> pages_;
  std::string arena_;  ///< their bounds
  Ordinal entry_count_ = 0;
  std::vector<Zone> zones_;
  std::vector<Level> levels_;
};

/// Spares the detour over PageRecords, which have strings of their own.
class PageDirectory::Loader {
 public:
  /// @param page_count  that is expected: spares moving the directory as it grows
  explicit Loader(std::uint64_t page_count);
  /// After an error the loader must not be used any more.
  /// Errors: kCorrupt, as of decode_page_block() and make().
  [[nodiscard]] Status add(Bytes body);
  [[nodiscard]] std::size_t page_count() const { return directory_.pages_.size(); }
  /// Of all bounds so far.
  [[nodiscard]] std::uint64_t bound_bytes() const { return directory_.arena_.size(); }
  [[nodiscard]] PageDirectory finish() &&;

 private:
  PageDirectory directory_;
};

}  // namespace dgfs::format
