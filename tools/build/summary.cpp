// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/build/summary.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/header/index_path.h"
#include "format/limits.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kNamedVolumesMax = 3;
// The two header pages.
constexpr std::uint64_t kEmptyVolumeBytes = 2 * format::kPageBytes;

// Peak resident size of this process, in bytes; 0 if the system does not report it.
std::uint64_t peak_memory_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string entries_text(const builder::BuildReport& report) {
  const format::Superblock& superblock = report.superblock;
  std::string text = counted(superblock.regular_files, "file") + ", " +
                     counted(superblock.directories, "directory", "directories");
  if (superblock.symlinks != 0) text += ", " + counted(superblock.symlinks, "symlink");
  if (superblock.other_files != 0) text += ", " + counted(superblock.other_files, "special file");
  if (report.hard_links != 0) text += ", " + counted(report.hard_links, "hard link");
  return text;
}

double bytes_per_entry(const builder::BuildReport& report) {
  const std::uint64_t entries = std::max<std::uint64_t>(report.superblock.namespace_entries, 1);
  return static_cast<double>(report.index_bytes) / static_cast<double>(entries);
}

void print_packed(const Session& session, const builder::BuildReport& report, std::uint64_t bytes,
                  std::size_t width) {
  session.print(fmt::format("{:<{}}  {:>9}   {}\n", "packed", width, size_text(bytes),
                            counted(report.packed_files, "file")));
}

void print_kept(const Session& session, const builder::BuildReport& report, std::uint64_t files,
                std::size_t width) {
  session.print(fmt::format("{:<{}}  {:>9}   {} in {}, beside {} that are no longer used\n", "kept",
                            width, size_text(report.kept_bytes), counted(files, "file"),
                            volumes_text(report), size_text(report.dead_bytes)));
}

std::string names_json(const std::vector<std::string>& names) {
  std::string json;
  for (const std::string& name : names) json += (json.empty() ? "" : ",") + json_string(name);
  return "[" + json + "]";
}

std::string largest_json(const builder::BuildReport& report) {
  std::string json;
  for (const builder::LargeContent& content : report.largest) {
    JsonObject file;
    file.add("path", content.path).add("bytes", content.bytes);
    json += (json.empty() ? "" : ",") + file.text();
  }
  return "[" + json + "]";
}

std::string volumes_json(const builder::BuildOptions& build, const builder::BuildReport& report) {
  std::string json;
  for (std::size_t i = 0; i < report.volume_bytes.size(); ++i) {
    JsonObject volume;
    volume.add("path", build.volume_paths[i]).add("bytes", report.volume_bytes[i]);
    json += (i == 0 ? "" : ",") + volume.text();
  }
  return "[" + json + "]";
}

}  // namespace

std::string volumes_text(const builder::BuildReport& report) {
  const auto& volumes = report.kept_volumes;
  std::string text;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const bool is_last = i + 1 == volumes.size();
    if (i == kNamedVolumesMax && !is_last) {
      return text + " and " + counted(volumes.size() - i, "more file");
    }
    text += (i == 0 ? "" : is_last ? " and " : ", ") + shell_quoted(volumes[i]);
  }
  return text;
}

std::string index_path_of(const builder::BuildOptions& build) {
  return build.index_path.value_or(format::default_index_path(build.image_path));
}

void show_progress(ProgressBar& bar, const builder::Progress& now) {
  switch (now.phase) {
    case builder::Phase::kScanning:
      return bar.update("scanning", now.entries, 0);
    case builder::Phase::kPacking:
      // A tree without contents has only names to pack.
      if (now.content_bytes_total == 0) return bar.update("packing", now.entries, 0);
      return bar.update("packing", now.content_bytes, now.content_bytes_total);
    case builder::Phase::kIndexing:
      return bar.update("indexing", now.entries, 0);
    case builder::Phase::kSyncing:
      return bar.update("syncing", now.entries, 0);
  }
}

void print_summary(const Session& session, const builder::BuildOptions& build,
                   const builder::BuildReport& report, const char* unit) {
  const std::string image = shell_quoted(build.image_path);
  const std::string index_path = index_path_of(build);
  const std::string index = index_path.empty() ? "(index in image)" : shell_quoted(index_path);
  std::vector<std::string> volumes;
  std::size_t width = std::max({image.size(), index.size(), std::size_t{14}});
  for (const auto& path : build.volume_paths) {
    volumes.push_back(shell_quoted(path));
    width = std::max(width, volumes.back().size());
  }
  session.print(fmt::format("{:<{}}  {:>9}   {}\n", image, width, size_text(report.image_bytes),
                            entries_text(report)));
  session.print(fmt::format("{:<{}}  {:>9}   {:.1f} bytes per entry\n", index, width,
                            size_text(report.index_bytes), bytes_per_entry(report)));
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const auto* const empty = report.volume_bytes[i] > kEmptyVolumeBytes
                                  ? ""
                                  : ": empty, the tree is too small to be spread";
    session.print(fmt::format("{:<{}}  {:>9}   volume {}{}\n", volumes[i], width,
                              size_text(report.volume_bytes[i]), i + 1, empty));
  }
  if (!report.kept_volumes.empty()) {
    const auto packed_bytes = report.superblock.stored_bytes - report.kept_bytes;
    print_packed(session, report, packed_bytes, width);
    print_kept(session, report, report.kept_files, width);
  }
  if (report.shared_files != 0) {
    session.print(fmt::format("{:<{}}  {:>9}   {} with the contents of others\n", "deduplicated",
                              width, size_text(report.shared_bytes),
                              counted(report.shared_files, "file")));
  }
  const double seconds = static_cast<double>(report.elapsed_ns) / 1e9;
  const auto entries = static_cast<double>(report.superblock.namespace_entries);
  const auto rate = static_cast<std::uint64_t>(seconds > 0 ? entries / seconds : 0);
  session.print(fmt::format("done in {} ({} {}/s), peak memory {}\n",
                            duration_text(report.elapsed_ns), grouped(rate), unit,
                            size_text(peak_memory_bytes())));
}

void print_plan(const Session& session, const builder::BuildOptions& build,
                const builder::BuildReport& report) {
  const auto width = std::max(shell_quoted(build.image_path).size(), std::size_t{14});
  print_packed(session, report, report.packed_bytes, width);
  if (!report.kept_volumes.empty()) print_kept(session, report, report.kept_names, width);
  if (report.largest.empty()) return;
  session.print("largest files to pack:\n");
  for (const builder::LargeContent& content : report.largest) {
    session.print(fmt::format("{:<{}}  {:>9}   {}\n", "", width, size_text(content.bytes),
                              shell_quoted(content.path)));
  }
}

JsonObject plan_json(const builder::BuildOptions& build, const builder::BuildReport& report) {
  JsonObject json;
  json.add("image", build.image_path)
      .add("packed_files", report.packed_files)
      .add("packed_bytes", report.packed_bytes)
      .add("kept_files", report.kept_names)
      .add("kept_bytes", report.kept_bytes)
      .add("dead_bytes", report.dead_bytes)
      .add_raw("kept_volumes", names_json(report.kept_volumes))
      .add_raw("largest", largest_json(report));
  return json;
}

JsonObject summary_json(const builder::BuildOptions& build, const builder::BuildReport& report) {
  const format::Superblock& superblock = report.superblock;
  JsonObject json;
  json.add("image", build.image_path)
      .add("image_bytes", report.image_bytes)
      .add("index", index_path_of(build))
      .add("index_bytes", report.index_bytes)
      .add_raw("volumes", volumes_json(build, report))
      .add("index_bytes_per_entry", bytes_per_entry(report))
      .add("uuid", format::uuid_text(superblock.uuid))
      .add("entries", superblock.namespace_entries)
      .add("regular_files", superblock.regular_files)
      .add("directories", superblock.directories)
      .add("symlinks", superblock.symlinks)
      .add("other_files", superblock.other_files)
      .add("hard_links", report.hard_links)
      .add("content_bytes", superblock.content_bytes)
      .add("stored_bytes", superblock.stored_bytes)
      .add("shared_files", report.shared_files)
      .add("shared_bytes", report.shared_bytes)
      .add("packed_files", report.packed_files)
      .add("packed_bytes", report.packed_bytes)
      .add("kept_files", report.kept_files)
      .add("kept_bytes", report.kept_bytes)
      .add("dead_bytes", report.dead_bytes)
      .add_raw("kept_volumes", names_json(report.kept_volumes))
      .add("pages", report.pages)
      .add("lost", report.loss_count)
      .add("lost_parts", report.part_loss_count)
      .add("elapsed_seconds", static_cast<double>(report.elapsed_ns) / 1e9)
      .add("peak_memory_bytes", peak_memory_bytes());
  return json;
}

}  // namespace dgfs::tools
