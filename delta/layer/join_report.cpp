// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/join_report.h"

#include <cstdint>
#include <string>

namespace dgfs::layer {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

}  // namespace

JsonObject join_json(const JoinOutcome& outcome) {
  std::string joins;
  for (const JoinDone& join : outcome.joins) {
    if (!joins.empty()) joins += ",";
    joins += JsonObject()
                 .add("layers", join.layers.size())
                 .add("bytes_before", join.bytes_before)
                 .add("bytes_after", join.bytes_after)
                 .add("bytes_needed", join.bytes_needed)
                 .text();
  }
  JsonObject json;
  json.add("layers_before", outcome.layers_before)
      .add("layers_after", outcome.layers_after)
      .add("took_ms", outcome.took_ns / kNsPerMs)
      .add_raw("joins", "[" + joins + "]");
  if (outcome.unremoved) json.add("unremoved", outcome.unremoved->message());
  return json;
}

}  // namespace dgfs::layer
