// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PageCache: cached index pages of one image or several.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "format/limits.h"
#include "reader/index/loaded_page.h"
#include "reader/shared_cache.h"

namespace dgfs::reader {

/// Totals of all images that share a page cache. Allocated apart from the cache, because each
/// lookup reads the cache's own memory.
struct PageTotals {
  std::atomic<std::uint64_t> reads = 0;        ///< pages read because they were not cached
  std::atomic<std::size_t> decoded_bytes = 0;  ///< of all decoded pages in memory
};

/// Counts the bytes of a decoded page while it exists. The page may outlive its cache.
class DecodedBytes {
 public:
  DecodedBytes(std::shared_ptr<PageTotals> totals, std::size_t bytes)
      : totals_(std::move(totals)), bytes_(bytes) {
    totals_->decoded_bytes += bytes_;
  }
  ~DecodedBytes() { totals_->decoded_bytes -= bytes_; }
  DecodedBytes(const DecodedBytes&) = delete;
  DecodedBytes& operator=(const DecodedBytes&) = delete;

 private:
  std::shared_ptr<PageTotals> totals_;
  std::size_t bytes_;
};

/// May be destroyed after its image, but not used then.
struct CachedPage {
  explicit CachedPage(LoadedPage page) : loaded(std::move(page)) {}
  mutable std::atomic<unsigned> gets = 0;
  std::uint64_t reads_before = 0;  ///< PageTotals::reads when this page was cached
  LoadedPage loaded;
  std::optional<DecodedBytes> decoded;  ///< set if the page was decoded in the cache
};

/// Thread-safe. Keys are page numbers that ImageCaches::reserve() makes unique among images.
struct PageCache {
  explicit PageCache(std::size_t bytes, std::shared_ptr<CachePool> pool = nullptr)
      : values(bytes, kShardsMax, bytes / format::kPageBytes / 2, std::move(pool)),
        decoded_bytes_max(bytes / 2) {}

  static constexpr std::size_t kShardsMax = 16;
  struct Hash {
    // Identity: spreads neighbouring pages over the shards.
    std::size_t operator()(std::uint64_t number) const noexcept {
      return static_cast<std::size_t>(number);
    }
  };
  using Values = SharedCache<std::uint64_t, CachedPage, Hash>;

  Values values;
  const std::size_t decoded_bytes_max;
  const std::shared_ptr<PageTotals> totals = std::make_shared<PageTotals>();
};

}  // namespace dgfs::reader
