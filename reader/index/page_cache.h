// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PageCache: index pages that were read, of one image or of several.
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

/// Of all images that share a cache of pages. Away from it: each lookup reads that memory.
struct PageTotals {
  std::atomic<std::uint64_t> reads = 0;        ///< of pages that were not cached
  std::atomic<std::size_t> decoded_bytes = 0;  ///< of decoded pages that live
};

/// Bytes of a decoded page, counted as long as it lives, which may be longer than its cache does.
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

/// It may be destroyed after its image is, but not used.
struct CachedPage {
  explicit CachedPage(LoadedPage page) : loaded(std::move(page)) {}
  mutable std::atomic<unsigned> gets = 0;
  std::uint64_t reads_before = 0;  ///< PageTotals::reads, when this one was kept
  LoadedPage loaded;
  std::optional<DecodedBytes> decoded;  ///< of pages that were decoded here
};

/// Thread-safe. Keys are numbers of pages, which differ between images: ImageCaches sees to it.
struct PageCache {
  explicit PageCache(std::size_t bytes, std::shared_ptr<CachePool> pool = nullptr)
      : values(bytes, kShardsMax, bytes / format::kPageBytes / 2, std::move(pool)),
        decoded_bytes_max(bytes / 2) {}

  static constexpr std::size_t kShardsMax = 16;
  struct Hash {
    // Neighbouring pages go to different shards.
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
