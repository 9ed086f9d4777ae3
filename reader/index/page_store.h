// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PageStore: index pages by number, read, checked and cached.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "reader/counter_cells.h"
#include "reader/index/loaded_page.h"
#include "reader/index/page_cache.h"
#include "reader/index/source.h"
#include "reader/index/tables.h"

namespace dgfs::reader {

/// Reads page `page` of one copy (one read of kPageBytes), opens it, and checks it against its
/// record of the page directory. Checks only those entries that the codec decodes to open the
/// page.
[[nodiscard]] Result<LoadedPage> read_checked_page(const IndexCopy& copy, const IndexTables& tables,
                                                   std::size_t page, CounterCells& counters);

/// At least the entries [begin, end) of a page, decoded and checked.
/// Errors: kCorrupt, without a place.
[[nodiscard]] Result<format::PageSlice> slice_of(const LoadedPage& page, std::size_t begin,
                                                 std::size_t end, const IndexTables& tables);

/// Thread-safe.
class PageStore {
 public:
  /// All arguments must outlive the store.
  PageStore(const IndexSource& source, const IndexTables& tables, CounterCells& counters,
            PageCache& cache)
      : source_(source),
        tables_(tables),
        counters_(counters),
        cache_(cache),
        values_(cache.values) {}

  /// Sets the number of page 0 in the cache; the other pages follow it. Default: 0. Must be called
  /// before all other methods.
  void number_from(std::uint64_t first) { first_number_ = first; }

  /// Gives a page. One read of kPageBytes if it is not cached; a damaged page comes from the other
  /// copy. Decodes a page that is in frequent use compared with the reads of pages, unless decoded
  /// pages already take half of the cache: they take ten times the room and more. Once full, the
  /// cache admits a page on its second miss within about one cache-full of other misses (as
  /// TinyLFU's doorkeeper does).
  [[nodiscard]] Result<PagePointer> get(std::size_t page) const;
  /// At least the entries [begin, end) of a page, decoded and checked. No read.
  [[nodiscard]] Result<EntryRange> range(const PagePointer& page, std::size_t begin,
                                         std::size_t end) const;
  /// Announces reads of these pages, in order, to the kernel.
  void announce(std::size_t first_page, std::size_t count) const;
  /// `error` of a page's payload, moved to the place of the page with `ordinal`.
  [[nodiscard]] Error in_page(const Error& error, format::Ordinal ordinal) const;

 private:
  [[nodiscard]] Result<PageCache::Values::Loaded> load(std::size_t page) const;
  [[nodiscard]] bool is_worth_decoding(const CachedPage& page, unsigned gets) const;
  [[nodiscard]] PagePointer decode(std::size_t page, PagePointer opened) const;

  const IndexSource& source_;
  const IndexTables& tables_;
  CounterCells& counters_;
  PageCache& cache_;
  PageCache::Values& values_;  ///< cache_.values: saves each lookup an indirection
  std::uint64_t first_number_ = 0;
};

}  // namespace dgfs::reader
