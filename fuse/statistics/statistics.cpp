// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/statistics/statistics.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/json.h"
#include "fuse/server.h"

namespace dgfs::fuse {
namespace {

JsonObject requests_json(const RequestCounters& counters) {
  JsonObject out;
  for (std::size_t i = 0; i < kRequestKinds; ++i) {
    const auto request = static_cast<Request>(i);
    std::string key(request_name(request));
    std::replace(key.begin(), key.end(), ' ', '_');
    const auto& latency = counters.latency_of(request);
    out.add(key, JsonObject()
                     .add("count", counters.of(request))
                     .add("failed", counters.failures_of(request))
                     .add("p50_ns", latency.quantile_ns(0.5))
                     .add("p99_ns", latency.quantile_ns(0.99)));
  }
  return out;
}

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

JsonObject device_json(const reader::Counters& counters) {
  return JsonObject()
      .add("index", reads_json(counters.index_reads, counters.index_read_bytes))
      .add("records", reads_json(counters.side_reads, counters.side_read_bytes))
      .add("data", reads_json(counters.data_reads, counters.data_read_bytes));
}

}  // namespace

std::string statistics_json(const Server& server) {
  const auto& counters = server.counters;
  const auto reader = server.image.counters();
  const auto seconds = (server.image.env().monotonic_ns() - server.begin_ns) / kNsPerSecond;
  return JsonObject()
      .add("uuid", format::uuid_text(server.image.superblock().uuid))
      .add("seconds", seconds)
      .add("requests", requests_json(counters))
      .add("content_bytes", counters.content_bytes())
      .add("prefetched", JsonObject()
                             .add("files", counters.prefetched_files())
                             .add("bytes", counters.prefetched_bytes()))
      .add("announced", JsonObject()
                            .add("files", counters.announced_files())
                            .add("read", counters.announced_reads()))
      .add("page_cache", cache_json(reader.pages))
      .add("frame_cache", cache_json(reader.frames))
      .add("device", device_json(reader))
      .add("errors", reader.errors)
      .add("healed_pages", reader.healed_pages)
      .text();
}

}  // namespace dgfs::fuse
