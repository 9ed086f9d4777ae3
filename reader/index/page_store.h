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
/// record of the page directory; its entries only as far as its codec decodes them to open it.
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

  /// By which number the cache knows page 0, others behind it; 0 without a call. Before all others.
  void number_from(std::uint64_t first) { first_number_ = first; }

  /// One read of kPageBytes where the page is not cached; a damaged one is taken from the other
  /// copy. A page that is asked for again and again, and often beside what is read, is decoded,
  /// where decoded pages do not have half of the cache already: they take ten times the room and
  /// more. A full cache takes in what is missed again while about as many others were as it holds.
  [[nodiscard]] Result<PagePointer> get(std::size_t page) const;
  /// At least the entries [begin, end) of a page. No read.
  [[nodiscard]] Result<EntryRange> range(const PagePointer& page, std::size_t begin,
                                         std::size_t end) const;
  /// Tells the device that these pages will be asked for in turn.
  void announce(std::size_t first_page, std::size_t count) const;
  /// An error of what a page says, at the place of the page that holds `ordinal`.
  [[nodiscard]] Error in_page(const Error& error, format::Ordinal ordinal) const;

 private:
  [[nodiscard]] Result<PageCache::Values::Loaded> load(std::size_t page) const;
  [[nodiscard]] bool is_worth_decoding(const CachedPage& page, unsigned gets) const;
  [[nodiscard]] PagePointer decode(std::size_t page, PagePointer opened) const;

  const IndexSource& source_;
  const IndexTables& tables_;
  CounterCells& counters_;
  PageCache& cache_;
  PageCache::Values& values_;  ///< of cache_: spares each lookup a step
  std::uint64_t first_number_ = 0;
};

}  // namespace dgfs::reader
