// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PageStore: index pages by number, read, checked and cached.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "format/limits.h"
#include "reader/counter_cells.h"
#include "reader/index/loaded_page.h"
#include "reader/index/source.h"
#include "reader/index/tables.h"
#include "reader/shared_cache.h"

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
            std::size_t cache_bytes)
      : source_(source),
        tables_(tables),
        counters_(counters),
        decoded_bytes_max_(cache_bytes / 2),
        cache_(cache_bytes, kShardsMax, cache_bytes / format::kPageBytes / 2) {}

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
  [[nodiscard]] CacheCounters cache_counters() const { return cache_.counters(); }

 private:
  static constexpr std::size_t kShardsMax = 16;
  struct Hash {
    // Neighbouring pages go to different shards.
    std::size_t operator()(std::size_t page) const noexcept { return page; }
  };
  /// Bytes of decoded pages that live, counted as long as it does.
  class DecodedBytes {
   public:
    DecodedBytes(std::atomic<std::size_t>& sum, std::size_t bytes) : sum_(sum), bytes_(bytes) {
      sum_ += bytes_;
    }
    ~DecodedBytes() { sum_ -= bytes_; }
    DecodedBytes(const DecodedBytes&) = delete;
    DecodedBytes& operator=(const DecodedBytes&) = delete;

   private:
    std::atomic<std::size_t>& sum_;
    std::size_t bytes_;
  };
  struct CachedPage {
    explicit CachedPage(LoadedPage page) : loaded(std::move(page)) {}
    mutable std::atomic<unsigned> gets = 0;
    std::uint64_t reads_before = 0;  ///< of pages, before this one was kept
    LoadedPage loaded;
    std::optional<DecodedBytes> decoded;  ///< of pages that were decoded here
  };
  using Cache = SharedCache<std::size_t, CachedPage, Hash>;

  [[nodiscard]] Result<Cache::Loaded> load(std::size_t page) const;
  [[nodiscard]] bool is_worth_decoding(const CachedPage& page, unsigned gets) const;
  [[nodiscard]] PagePointer decode(std::size_t page, PagePointer opened) const;

  const IndexSource& source_;
  const IndexTables& tables_;
  CounterCells& counters_;
  std::size_t decoded_bytes_max_;
  mutable std::atomic<std::size_t> decoded_bytes_ = 0;
  mutable Cache cache_;
};

}  // namespace dgfs::reader
