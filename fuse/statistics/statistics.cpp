// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/statistics/statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "fuse/server.h"

namespace dgfs::fuse {
namespace {

std::string request_json(const RequestCounters& counters, Request request) {
  std::string key(request_name(request));
  std::replace(key.begin(), key.end(), ' ', '_');
  const auto& latency = counters.latency_of(request);
  return fmt::format(R"("{}":{{"count":{},"failed":{},"p50_ns":{},"p99_ns":{}}})", key,
                     counters.of(request), counters.failures_of(request), latency.quantile_ns(0.5),
                     latency.quantile_ns(0.99));
}

std::string requests_json(const RequestCounters& counters) {
  std::string out;
  for (std::size_t i = 0; i < kRequestKinds; ++i) {
    out += (i == 0 ? "" : ",") + request_json(counters, static_cast<Request>(i));
  }
  return out;
}

std::string cache_json(const reader::CacheCounters& cache) {
  return fmt::format(R"({{"hits":{},"misses":{},"evictions":{},"bytes":{},"bytes_max":{}}})",
                     cache.hits, cache.misses, cache.evictions, cache.bytes, cache.bytes_max);
}

std::string device_json(std::uint64_t reads, std::uint64_t bytes) {
  return fmt::format(R"({{"reads":{},"bytes":{}}})", reads, bytes);
}

}  // namespace

std::string statistics_json(const Server& server) {
  const auto reader = server.image.counters();
  const auto seconds = (server.image.env().monotonic_ns() - server.begin_ns) / kNsPerSecond;
  return fmt::format(
      R"({{"uuid":"{}","seconds":{},"requests":{{{}}},"content_bytes":{},)"
      R"("prefetched":{{"files":{},"bytes":{}}},"announced":{{"files":{},"read":{}}},)"
      R"("page_cache":{},"frame_cache":{},"device":{{"index":{},"records":{},"data":{}}},)"
      R"("errors":{},"healed_pages":{}}})",
      format::uuid_text(server.image.superblock().uuid), seconds, requests_json(server.counters),
      server.counters.content_bytes(), server.counters.prefetched_files(),
      server.counters.prefetched_bytes(), server.counters.announced_files(),
      server.counters.announced_reads(), cache_json(reader.pages), cache_json(reader.frames),
      device_json(reader.index_reads, reader.index_read_bytes),
      device_json(reader.side_reads, reader.side_read_bytes),
      device_json(reader.data_reads, reader.data_read_bytes), reader.errors, reader.healed_pages);
}

}  // namespace dgfs::fuse
