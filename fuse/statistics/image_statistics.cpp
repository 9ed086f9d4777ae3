// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/statistics/image_statistics.h"

namespace dgfs::fuse {
namespace {

JsonObject cache_json(const reader::CacheCounters& cache) {
  return JsonObject()
      .add("hits", cache.hits)
      .add("misses", cache.misses)
      .add("evictions", cache.evictions)
      .add("bytes", cache.bytes)
      .add("bytes_max", cache.bytes_max);
}

JsonObject reads_json(std::uint64_t reads, std::uint64_t bytes) {
  return JsonObject().add("reads", reads).add("bytes", bytes);
}

}  // namespace

void add_image_statistics(JsonObject& statistics, const reader::Image& image) {
  const auto counters = image.counters();
  statistics.add("page_cache", cache_json(counters.pages))
      .add("frame_cache", cache_json(counters.frames))
      .add("device", JsonObject()
                         .add("index", reads_json(counters.index_reads, counters.index_read_bytes))
                         .add("records", reads_json(counters.side_reads, counters.side_read_bytes))
                         .add("data", reads_json(counters.data_reads, counters.data_read_bytes)))
      .add("errors", counters.errors)
      .add("healed_pages", counters.healed_pages);
}

}  // namespace dgfs::fuse
