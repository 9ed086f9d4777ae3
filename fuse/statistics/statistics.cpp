// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/statistics/statistics.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/json.h"
#include "fuse/service.h"

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
                     .add("p99_ns", latency.quantile_ns(0.99))
                     .add("total_ns", latency.total_ns()));
  }
  return out;
}

}  // namespace

std::string statistics_json(const Service& service) {
  const auto& counters = service.counters;
  const auto seconds = (service.env.monotonic_ns() - service.begin_ns) / kNsPerSecond;
  auto statistics = JsonObject()
                        .add("uuid", format::uuid_text(service.file_system.uuid()))
                        .add("seconds", seconds)
                        .add("transport", service.is_ring ? "io_uring" : "classic")
                        .add("requests", requests_json(counters))
                        .add("content_bytes", counters.content_bytes());
  service.file_system.add_statistics(statistics);
  return statistics.text();
}

}  // namespace dgfs::fuse
