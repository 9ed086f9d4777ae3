// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/live_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cerrno>
#include <cstdint>
#include <sstream>

#include "storage/posix/xattr.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

using Tree = boost::property_tree::ptree;

// As in fuse/statistics/statistics.h, which is not included because this is also built without
// FUSE.
constexpr const char* kStatisticsXattr = "user.dgfs.stats";

std::uint64_t number(const Tree& tree, const char* path) {
  return tree.get<std::uint64_t>(path, 0);
}

std::string latency_text(std::uint64_t ns) {
  if (ns == 0) return "-";
  const double us = static_cast<double>(ns) / 1000;
  return us < 10'000 ? fmt::format("{:.0f} us", us) : fmt::format("{:.0f} ms", us / 1000);
}

std::string request_rows(const Tree& requests) {
  std::string out = fmt::format("{:<27} {:>12} {:>9} {:>9} {:>9} {:>9}\n", "requests", "count",
                                "failed", "p50", "p99", "together");
  for (const auto& [key, facts] : requests) {
    const auto count = number(facts, "count");
    if (count == 0) continue;
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    out += fmt::format("  {:<25} {:>12} {:>9} {:>9} {:>9} {:>9}\n", printable(name), grouped(count),
                       grouped(number(facts, "failed")), latency_text(number(facts, "p50_ns")),
                       latency_text(number(facts, "p99_ns")),
                       duration_text(number(facts, "total_ns")));
  }
  return out;
}

std::string cache_row(const char* label, const Tree& cache) {
  const auto hits = number(cache, "hits");
  const auto asked = hits + number(cache, "misses");
  const double share =
      static_cast<double>(hits) / static_cast<double>(std::max<std::uint64_t>(asked, 1));
  const double percent = 100 * share;
  return fmt::format("{:<12} {:.1f} % of {} found, {} of {} used\n", label, percent, grouped(asked),
                     size_text(number(cache, "bytes")), size_text(number(cache, "bytes_max")));
}

std::string prefetched_row(const Tree& prefetched) {
  return fmt::format("{:<12} {} before they were requested, {}\n", "prefetched",
                     counted(number(prefetched, "files"), "file"),
                     size_text(number(prefetched, "bytes")));
}

std::string announced_row(const Tree& announced) {
  return fmt::format("{:<12} {} when they were looked up, {} of them read\n", "announced",
                     counted(number(announced, "files"), "file"),
                     grouped(number(announced, "read")));
}

// Servers of earlier versions do not tell.
std::string listings_row(const Tree& all) {
  const auto listings = all.get_child_optional("listings");
  if (!listings) return "";
  return fmt::format("{:<12} {} without attributes, {} dropped\n", "listings",
                     counted(number(*listings, "bare_names"), "name"),
                     grouped(number(*listings, "dropped")));
}

std::string device_row(const Tree& device) {
  const auto part = [&](const char* name) {
    const auto& facts = device.get_child(name);
    return fmt::format("{} {} ({})", name, grouped(number(facts, "reads")),
                       size_text(number(facts, "bytes")));
  };
  return fmt::format("{:<12} reads of {}, {}, {}\n", "device", part("index"), part("records"),
                     part("data"));
}

std::string row(const char* label, const std::string& text) {
  return fmt::format("{:<12} {}\n", label, text);
}

// "base.0003.dgfs, made of photos.dgfs (12 % of it no longer used)"
std::string base_row(const Tree& delta) {
  const auto base = delta.get_child_optional("base");
  if (!base || base->empty()) return {};
  std::string made_of;
  if (const auto files = base->get_child_optional("made_of")) {
    for (const auto& [key, file] : *files) {
      made_of += (made_of.empty() ? "" : ", ") + printable(file.data());
    }
  }
  auto text = printable(base->get<std::string>("name", ""));
  if (made_of.empty()) return row("base", text + ", which needs no other file");
  return row("base", fmt::format("{}, made of {} ({} % of it no longer used)", text, made_of,
                                 number(*base, "dead_percent")));
}

// Of the merge that is under way, or how the last one has ended.
std::string merge_row(const Tree& delta) {
  const auto merge = delta.get_child_optional("merge");
  if (!merge || number(*merge, "number") == 0 || merge->get<bool>("dry_run", false)) return {};
  if (merge->get<bool>("running", false)) {
    return row("merge",
               fmt::format("{} %, {} of {}, waited for writers {}", number(*merge, "percent"),
                           size_text(number(*merge, "done_bytes")),
                           size_text(number(*merge, "total_bytes")),
                           duration_text(number(*merge, "waited_ms") * kNsPerMs)));
  }
  if (const auto reason = merge->get_optional<std::string>("error")) {
    return row("merge", "the last one was given up: " + printable(*reason));
  }
  return row("merge",
             fmt::format("the last one took {}",
                         duration_text(merge->get<std::uint64_t>("result.took_ms", 0) * kNsPerMs)));
}

// For a mount with a delta.
std::string delta_rows(const Tree& all, const Tree& delta) {
  const auto max_bytes = number(delta, "max_bytes");
  return row("written", size_text(number(all, "written_bytes")) + " of contents") +
         row("known", counted(number(all, "known_objects"), "object") + " to the kernel") +
         row("delta", printable(delta.get<std::string>("path", "")) + ", " +
                          counted(number(delta, "stores"), "store")) +
         base_row(delta) + merge_row(delta) +
         row("space", fmt::format("{} used, {} free, {} in reserve{}",
                                  size_text(number(delta, "used_bytes")),
                                  size_text(number(delta, "free_bytes")),
                                  size_text(number(delta, "reserved_bytes")),
                                  max_bytes == 0 ? "" : ", capped at " + size_text(max_bytes))) +
         row("waited", fmt::format("writers {} for the log, {} for the tree, {} for space",
                                   duration_text(number(delta, "log_wait_ns")),
                                   duration_text(number(delta, "tree_wait_ns")),
                                   duration_text(number(delta, "space_wait_ns")))) +
         row("log", size_text(number(delta, "log_bytes"))) +
         row("tree", fmt::format("{} of blocks, {} of large values, {} moved, {}",
                                 size_text(number(delta, "block_bytes")),
                                 size_text(number(delta, "value_bytes")),
                                 size_text(number(delta, "moved_bytes")),
                                 counted(number(delta, "checkpoints"), "checkpoint")));
}

// For a mount without a delta.
std::string ahead_rows(const Tree& all) {
  return prefetched_row(all.get_child("prefetched")) + announced_row(all.get_child("announced"));
}

std::string statistics_text(const Tree& all) {
  const auto delta = all.get_child_optional("delta");
  return fmt::format("{:<12} {}\n{:<12} {} ago\n", "uuid",
                     printable(all.get<std::string>("uuid", "")), "mounted",
                     duration_text(number(all, "seconds") * kNsPerSecond)) +
         row("transport", printable(all.get<std::string>("transport", "classic"))) +
         request_rows(all.get_child("requests")) +
         fmt::format("{:<12} {} of contents\n", "served", size_text(number(all, "content_bytes"))) +
         (delta ? delta_rows(all, *delta) : ahead_rows(all)) + listings_row(all) +
         cache_row("page cache", all.get_child("page_cache")) +
         cache_row("frame cache", all.get_child("frame_cache")) +
         device_row(all.get_child("device")) +
         fmt::format("{:<12} {}, {} corrected from the second copy of the index\n", "damage",
                     counted(number(all, "errors"), "error"),
                     counted(number(all, "healed_pages"), "page"));
}

Error not_understood(const boost::property_tree::ptree_error& failure) {
  return Error(ErrorKind::kCorrupt, 6160,
               fmt::format("the statistics cannot be parsed: {}", failure.what()));
}

Result<Tree> parsed(const std::string& json) {
  try {
    Tree tree;
    std::istringstream stream(json);
    boost::property_tree::read_json(stream, tree);
    return tree;
  } catch (const boost::property_tree::ptree_error& failure) {
    return not_understood(failure);
  }
}

}  // namespace

Result<std::string> live_statistics_text(const std::string& json) {
  DGFS_TRY(tree, parsed(json));
  try {
    return statistics_text(tree);
  } catch (const boost::property_tree::ptree_error& failure) {
    return not_understood(failure);
  }
}

Result<LiveMount> live_mount(const std::string& directory) {
  DGFS_TRY(json, storage::posix_xattr(directory, kStatisticsXattr));
  DGFS_TRY(all, parsed(json));
  const auto delta = all.get_child_optional("delta");
  if (!delta) return LiveMount();
  return LiveMount{delta->get<std::string>("path", ""), delta->get<bool>("read_only", false)};
}

int print_statistics(const Session& session, const std::string& statistics, bool json) {
  if (json) {
    // Escaped, because any file system, or any process that has a delta open, could send it.
    session.print((session.io().out_is_terminal ? printable(statistics) : statistics) + "\n");
    return kExitDone;
  }
  const auto text = live_statistics_text(statistics);
  if (!text) return session.fail(text.error());
  session.print(text.value());
  return kExitDone;
}

int print_live_statistics(const Session& session, const std::string& directory, bool json) {
  const auto value = storage::posix_xattr(directory, kStatisticsXattr);
  if (!value) {
    const int os_errno = value.error().os_errno();
    if (os_errno != ENODATA && os_errno != EOPNOTSUPP) return session.fail(value.error());
    session.complain(directory, "no image is mounted here; give the directory of a mount");
    return kExitFailed;
  }
  return print_statistics(session, value.value(), json);
}

}  // namespace dgfs::tools
