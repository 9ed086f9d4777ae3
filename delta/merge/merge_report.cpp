// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge_report.h"

#include <string>

#include "storage/env.h"

namespace dgfs::merge {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

}  // namespace

JsonObject outcome_json(const MergeOutcome& outcome) {
  const builder::BuildReport& report = outcome.base.report;
  std::string needs;
  for (const std::string& name : report.kept_volumes) {
    needs += (needs.empty() ? "" : ",") + json_string(name);
  }
  std::string largest;
  for (const builder::LargeContent& file : report.largest) {
    largest += (largest.empty() ? "" : ",") +
               JsonObject().add("path", file.path).add("bytes", file.bytes).text();
  }
  JsonObject json;
  json.add("changes", outcome.base.changes)
      .add("took_ms", outcome.took_ns / kNsPerMs)
      .add("bytes_before", outcome.bytes_before)
      .add("bytes_after", outcome.bytes_after)
      .add("base", storage::base_name(outcome.base.path))
      .add_raw("needs", "[" + needs + "]")
      .add("packed_files", report.packed_files)
      .add("packed_bytes", report.packed_bytes)
      .add("kept_bytes", report.kept_bytes)
      .add("dead_bytes", report.dead_bytes)
      .add("peak_bytes", outcome.base.peak_bytes)
      .add("unsealed_bytes", outcome.unsealed_bytes)
      .add_raw("largest", "[" + largest + "]");
  if (outcome.unremoved) json.add("unremoved", outcome.unremoved->message());
  return json;
}

}  // namespace dgfs::merge
