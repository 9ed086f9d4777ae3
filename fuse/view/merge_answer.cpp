// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/merge_answer.h"

#include <algorithm>

#include "base/json.h"
#include "delta/layer/join_report.h"
#include "delta/merge/merge_report.h"
#include "format/limits.h"
#include "reader/image.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

Status take_word(std::string_view word, merge::MergeRequest& request) {
  constexpr std::string_view kTo = "to=";
  constexpr std::string_view kRepack = "repack=";
  if (word == "dry_run") {
    request.dry_run = true;
    return ok();
  }
  if (word.starts_with(kTo)) {
    request.to = std::string(word.substr(kTo.size()));
    return ok();
  }
  if (word == "repack=all") {
    request.repack.all = true;
    return ok();
  }
  if (word.starts_with(kRepack)) {
    request.repack.dead_percent = merge::parse_dead_percent(word.substr(kRepack.size()));
    if (request.repack.dead_percent) return ok();
  }
  return Error(ErrorKind::kUnsupported, 5094, "this mount does not know how to merge like that");
}

// In floating point, because a hundred times the bytes of a volume may be too large a number.
unsigned percent_of(std::uint64_t part, std::uint64_t whole) {
  return static_cast<unsigned>(static_cast<double>(part) * 100 / static_cast<double>(whole));
}

}  // namespace

Result<merge::MergeRequest> merge_request(std::string_view words) {
  merge::MergeRequest request;
  while (!words.empty()) {
    const auto end = words.find(' ');
    const auto word = words.substr(0, end);
    words.remove_prefix(end == words.npos ? words.size() : end + 1);
    if (word.empty()) continue;
    DGFS_CHECK(take_word(word, request));
  }
  return request;
}

std::string base_text(const delta::BaseFacts& base, const reader::Image& image) {
  std::string made_of;
  std::uint64_t bytes = 0;
  std::uint64_t dead_bytes = 0;
  for (const format::VolumeOrigin& origin : image.volume_origins()) {
    const auto record =
        std::ranges::find(image.volumes(), origin.number, &format::VolumeRecord::number);
    if (record == image.volumes().end()) continue;
    made_of += (made_of.empty() ? "" : ",") + json_string(record->hint);
    bytes += record->data_end - format::kPageBytes;
    dead_bytes += origin.dead_bytes;
  }
  return JsonObject()
      .add("name", delta::base_file_name(base.number))
      .add_raw("made_of", "[" + made_of + "]")
      .add("dead_percent", bytes == 0 ? 0U : percent_of(dead_bytes, bytes))
      .text();
}

std::string join_state_text(const merge::JoinStatus& status) {
  JsonObject answer;
  answer.add("number", status.number)
      .add("running", status.is_running)
      .add("percent", status.percent)
      .add("done_bytes", status.done_bytes)
      .add("total_bytes", status.total_bytes)
      .add("waited_ms", status.waited_ns / kNsPerMs)
      .add("moved_bytes", status.moved_bytes);
  if (status.error) answer.add("error", status.error->message());
  if (status.outcome) answer.add_raw("result", layer::join_json(*status.outcome).text());
  return answer.text();
}

std::string merge_state_text(const merge::MergeStatus& status) {
  JsonObject answer;
  answer.add("number", status.number)
      .add("running", status.is_running)
      .add("dry_run", status.is_dry_run)
      .add("percent", status.percent)
      .add("done_bytes", status.done_bytes)
      .add("total_bytes", status.total_bytes)
      .add("waited_ms", status.waited_ns / kNsPerMs);
  if (status.error) answer.add("error", status.error->message());
  if (status.outcome) answer.add("result", merge::outcome_json(*status.outcome));
  return answer.text();
}

}  // namespace dgfs::fuse
