// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/store_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/header/superblock.h"
#include "storage/env.h"
#include "tools/info/space_report.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

std::string born_text(std::uint64_t born_object) {
  if (born_object == 0) return "";
  if (born_object == UINT64_MAX) return ", over layers that may have any object";
  return fmt::format(", over layers with objects below {}", born_object);
}

std::string parameters_text(const delta::StoreParameters& parameters) {
  return fmt::format(
      "basement {}, buffers of a node {}, fan-out {}, log segment {}, values up to {} in the "
      "tree{}",
      size_text(parameters.basement_bytes), size_text(parameters.buffer_bytes), parameters.fanout,
      size_text(parameters.segment_bytes), size_text(parameters.inline_bytes),
      born_text(parameters.born_object));
}

std::string checkpoints_text(const delta::StoreReport& report) {
  return fmt::format("{} so far; the tree has the batches up to {}",
                     grouped(report.superblock.checkpoint), grouped(report.superblock.sequence));
}

std::string log_name(const delta::StoreReport& report) {
  return fmt::format("log.{}", report.log_generation % 2);
}

std::string log_text(const delta::StoreReport& report) {
  const auto segment_bytes = report.superblock.parameters.segment_bytes;
  const auto full = 100 * report.log_used_bytes / std::max<std::uint64_t>(segment_bytes, 1);
  const auto used = fmt::format("{} in use, {} is {} % full", size_text(report.log_used_bytes),
                                log_name(report), full);
  if (report.log_groups == 0) return "nothing that the tree lacks; " + used;
  return fmt::format("{} that the tree lacks, batches up to {}; {}",
                     counted(report.log_groups, "group"), grouped(report.log_sequence), used);
}

std::string tree_text(const delta::StoreReport& report, bool has_read_runs) {
  auto text = fmt::format("height {}, {}, {} of {}", report.height, counted(report.nodes, "node"),
                          counted(report.basements, "basement"), size_text(report.basement_bytes));
  if (has_read_runs) text += " with " + counted(report.basement_points, "key");
  if (report.unread_nodes != 0) {
    text += "; " + counted(report.unread_nodes, "node") + " unreadable";
  }
  return text;
}

std::string waiting_text(const delta::StoreReport& report, bool has_read_runs) {
  auto text =
      fmt::format("{} of {}", counted(report.waiting_runs, "run"), size_text(report.waiting_bytes));
  if (has_read_runs) {
    text += fmt::format(" with {}, {}", counted(report.waiting_points, "message"),
                        counted(report.waiting_tombstones, "range tombstone"));
  }
  return text;
}

/// Bytes after the last block: left by earlier blocks, or not yet covered by a checkpoint.
std::uint64_t bytes_behind(const delta::StoreReport& report) {
  const auto end_bytes = report.used_bytes + report.free_bytes;
  for (const auto& file : report.files) {
    if (storage::base_name(file.path) != "blocks") continue;
    return file.size_bytes - std::min(file.size_bytes, end_bytes);
  }
  return 0;
}

std::string blocks_text(const delta::StoreReport& report) {
  return fmt::format("{} in use, nodes {} of that; free between them {}, after them {}",
                     size_text(report.used_bytes), size_text(report.node_bytes),
                     size_text(report.free_bytes), size_text(bytes_behind(report)));
}

std::string values_text(const delta::StoreReport& report) {
  return fmt::format("{} of {}; free between them {}", counted(report.large_values, "large value"),
                     size_text(report.large_value_bytes), size_text(report.free_value_bytes));
}

std::string filter_text(const delta::StoreReport& report) {
  const auto& table = report.superblock.filter;
  if (table.length_bytes == 0) return "empty";
  return fmt::format("{}, for {} of lower layers and {} of them", size_text(report.filter_bytes),
                     counted(report.filter_prefixes, "object"),
                     counted(report.filter_ranges, "range"));
}

std::string files_json(const delta::StoreReport& report) {
  std::string files;
  for (const auto& file : report.files) {
    JsonObject object;
    object.add("path", file.path)
        .add("bytes", file.size_bytes)
        .add("allocated_bytes", file.allocated_bytes);
    files += (files.empty() ? "" : ",") + object.text();
  }
  return "[" + files + "]";
}

}  // namespace

std::string store_text(const delta::StoreReport& report, bool has_read_runs) {
  std::string text;
  const auto row = [&](std::string_view label, std::string_view fact) {
    text += fmt::format("{:<11} {}\n", label, fact);
  };
  row("uuid", format::uuid_text(report.superblock.store));
  row("format", fmt::format("{}   checksums xxh3-64", report.version));
  row("parameters", parameters_text(report.superblock.parameters));
  row("checkpoints", checkpoints_text(report));
  if (const auto remark = check_remark(report); !remark.empty()) row("superblock", remark);
  row("log", report.superblock.sealed ? "none: the store is a sealed layer" : log_text(report));
  row("tree", tree_text(report, has_read_runs));
  row("waiting", waiting_text(report, has_read_runs));
  row("blocks", blocks_text(report));
  row("values", values_text(report));
  if (report.superblock.parameters.born_object != 0) row("filter", filter_text(report));
  SpaceParts parts;
  std::uint64_t bytes = 0;
  std::uint64_t allocated_bytes = 0;
  for (const auto& file : report.files) {
    parts.emplace_back(storage::base_name(file.path), file.size_bytes);
    bytes += file.size_bytes;
    allocated_bytes += file.allocated_bytes;
  }
  row("files", fmt::format("{}, {} on the disk, consisting of", size_text(bytes),
                           size_text(allocated_bytes)));
  return text + space_text(parts, bytes);
}

void add_store(JsonObject& json, const delta::StoreReport& report, bool has_read_runs) {
  const auto& superblock = report.superblock;
  JsonObject parameters;
  parameters.add("basement_bytes", superblock.parameters.basement_bytes)
      .add("buffer_bytes", superblock.parameters.buffer_bytes)
      .add("fanout", superblock.parameters.fanout)
      .add("segment_bytes", superblock.parameters.segment_bytes)
      .add("inline_bytes", superblock.parameters.inline_bytes)
      .add("born_object", superblock.parameters.born_object);
  JsonObject log;
  log.add("segment", log_name(report))
      .add("groups", report.log_groups)
      .add("sequence", report.log_sequence)
      .add("used_bytes", report.log_used_bytes);
  json.add("uuid", format::uuid_text(superblock.store))
      .add("format", report.version)
      .add("parameters", parameters)
      .add("checkpoints", superblock.checkpoint)
      .add("whole_superblocks", report.whole_superblocks)
      .add("sequence", superblock.sequence)
      .add("log", log)
      .add("height", report.height)
      .add("nodes", report.nodes)
      .add("unread_nodes", report.unread_nodes)
      .add("node_bytes", report.node_bytes)
      .add("basements", report.basements)
      .add("basement_bytes", report.basement_bytes)
      .add("waiting_runs", report.waiting_runs)
      .add("waiting_bytes", report.waiting_bytes);
  if (has_read_runs) {
    json.add("basement_points", report.basement_points)
        .add("waiting_points", report.waiting_points)
        .add("waiting_range_tombstones", report.waiting_tombstones);
  }
  json.add("used_bytes", report.used_bytes)
      .add("free_bytes", report.free_bytes)
      .add("large_values", report.large_values)
      .add("large_value_bytes", report.large_value_bytes)
      .add("free_value_bytes", report.free_value_bytes)
      .add("space_bytes", report.space_bytes)
      .add("filter_bytes", report.filter_bytes)
      .add("filter_stages", report.filter_stages)
      .add("filter_prefixes", report.filter_prefixes)
      .add("filter_ranges", report.filter_ranges)
      .add_raw("files", files_json(report));
}

std::string check_summary(const delta::StoreReport& report) {
  if (report.damaged_places == 0) {
    return fmt::format("no damage in {}, {}, {}, {}, {} of the log, {}",
                       counted(report.nodes, "node"), counted(report.basements, "basement"),
                       counted(report.waiting_runs, "waiting run"),
                       counted(report.large_values, "large value"),
                       counted(report.log_groups, "group"), size_text(report.total_bytes()));
  }
  auto text = counted(report.damaged_places, "place") + " damaged";
  if (report.unread_nodes != 0) {
    text += "; nothing below " + counted(report.unread_nodes, "node") + " was checked";
  }
  return text;
}

std::string check_remark(const delta::StoreReport& report) {
  if (report.torn_superblocks == 0) return "";
  return "one of the two is not whole, as after an interrupted checkpoint";
}

}  // namespace dgfs::tools
