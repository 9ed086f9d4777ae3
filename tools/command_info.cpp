// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs info: shows what an image consists of, from the index alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "delta/store/directory/states.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/report_cap.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/info/index_report.h"
#include "tools/info/index_scan.h"
#include "tools/info/live_statistics.h"
#include "tools/info/space_report.h"
#include "tools/paths/image_argument.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

using format::SectionKind;

constexpr char kChecksumName[] = "xxh3-64";

struct FileFacts {
  std::string role;
  std::string path;
  std::uint64_t bytes = 0;
};

std::vector<FileFacts> file_facts(const Session& session, const reader::Image& image) {
  std::vector<FileFacts> out;
  for (const auto& [role, path] : image.files()) {
    const Result<storage::FileStatus> status = session.env().status(path);
    out.push_back({role, path, status ? status.value().size_bytes : 0});
  }
  return out;
}

/// Bytes of the index for one entry, on average.
double per_entry(const format::Superblock& superblock, std::uint64_t bytes) {
  const std::uint64_t entries = std::max<std::uint64_t>(superblock.namespace_entries, 1);
  return static_cast<double>(bytes) / static_cast<double>(entries);
}

std::uint64_t section_bytes(const format::Superblock& superblock, SectionKind kind) {
  return superblock.section(kind).length_bytes;
}

std::uint64_t digest_bytes(const format::Superblock& superblock) {
  return section_bytes(superblock, SectionKind::kDigests) +
         section_bytes(superblock, SectionKind::kDigestTable);
}

/// "sha256"; empty if the image has no digests, or if the algorithm is unknown.
std::string digests_word(const reader::Image& image) {
  const auto algorithm = image.digest_algorithm();
  if (!algorithm || !algorithm.value()) return {};
  return std::string(digest_algorithm_name(*algorithm.value()));
}

std::vector<std::string> feature_names(const format::Superblock& superblock) {
  std::vector<std::string> out;
  for (const auto& names :
       {format::compat_names(superblock.compat), format::ro_compat_names(superblock.ro_compat),
        format::incompat_names(superblock.incompat)}) {
    out.insert(out.end(), names.begin(), names.end());
  }
  return out;
}

std::string features_text(const format::Superblock& superblock) {
  const auto names = feature_names(superblock);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string features_json(const format::Superblock& superblock) {
  auto names = feature_names(superblock);
  for (auto& name : names) name = json_string(name);
  return fmt::format("[{}]", fmt::join(names, ","));
}

std::string entries_text(const format::Superblock& superblock) {
  const std::uint64_t pages = section_bytes(superblock, SectionKind::kPages);
  const std::uint64_t page_directory = section_bytes(superblock, SectionKind::kPageDirectory);
  const std::uint64_t rest = superblock.index_bytes - pages - page_directory;
  return fmt::format("{:<20} {:.1f} B each: pages {:.1f}, page directory {:.1f}, rest {:.1f}",
                     grouped(superblock.namespace_entries),
                     per_entry(superblock, superblock.index_bytes), per_entry(superblock, pages),
                     per_entry(superblock, page_directory), per_entry(superblock, rest));
}

std::string contents_text(const format::Superblock& superblock) {
  return fmt::format("{} in {}, {}, {}, {} others; stored in {}",
                     size_text(superblock.content_bytes), counted(superblock.regular_files, "file"),
                     counted(superblock.directories, "directory", "directories"),
                     counted(superblock.symlinks, "symlink"), grouped(superblock.other_files),
                     size_text(superblock.stored_bytes));
}

std::vector<format::VolumeNumber> missing_volumes(const reader::Image& image) {
  std::vector<format::VolumeNumber> missing;
  for (const auto& record : image.volumes()) {
    if (!image.volume_path(record.number)) missing.push_back(record.number);
  }
  return missing;
}

// "volume 1 of the image of uuid 6c1f..., 31.2 MB of 1.27 GB not used".
std::string origin_text(const reader::Image& image, const format::VolumeOrigin& origin) {
  const auto record =
      std::ranges::find(image.volumes(), origin.number, &format::VolumeRecord::number);
  return fmt::format("as volume {}: volume {} of the image of uuid {}, {} of {} not used",
                     origin.number, origin.own_number, format::uuid_text(origin.image),
                     size_text(origin.dead_bytes),
                     size_text(record->data_end - format::kPageBytes));
}

std::string origins_json(const reader::Image& image) {
  std::string json;
  for (const format::VolumeOrigin& origin : image.volume_origins()) {
    JsonObject volume;
    volume.add("volume", origin.number)
        .add("uuid", format::uuid_text(origin.image))
        .add("number", origin.own_number)
        .add("dead_bytes", origin.dead_bytes);
    json += (json.empty() ? "" : ",") + volume.text();
  }
  return "[" + json + "]";
}

std::uint64_t sum_of(const std::vector<FileFacts>& files) {
  std::uint64_t bytes = 0;
  for (const FileFacts& file : files) bytes += file.bytes;
  return bytes;
}

void print_text(const Session& session, const reader::Image& image) {
  const format::Superblock& superblock = image.superblock();
  const auto row = [&](std::string_view label, std::string_view text) {
    session.print(fmt::format("{:<10} {}\n", label, text));
  };
  const auto files = file_facts(session, image);
  std::size_t width = 20;
  for (const FileFacts& file : files) width = std::max(width, shell_quoted(file.path).size());
  for (const FileFacts& file : files) {
    std::string text =
        fmt::format("{:<{}} {:>9}", shell_quoted(file.path), width, size_text(file.bytes));
    if (file.role == "index" && image.has_second_index()) text += "   copy in image: yes";
    row(file.role, text);
  }
  for (const auto number : missing_volumes(image)) row(fmt::format("volume {}", number), "missing");
  row("uuid", format::uuid_text(superblock.uuid));
  row("format", fmt::format("{}.{}   checksums {}", superblock.version_major,
                            superblock.version_minor, kChecksumName));
  row("features", features_text(superblock));
  row("created", utc_time({superblock.created_seconds, 0}).substr(0, 19) + "Z");
  row("entries", entries_text(superblock));
  row("index", fmt::format("{:<20} in memory {}", size_text(superblock.index_bytes),
                           size_text(image.resident_bytes())));
  session.print(sections_text(superblock));
  row("contents", contents_text(superblock));
  if (const auto algorithm = image.digest_algorithm(); algorithm && algorithm.value()) {
    row("digests", fmt::format("{:<20} {}", digest_algorithm_name(*algorithm.value()),
                               size_text(digest_bytes(superblock))));
  } else if (!algorithm) {
    row("digests", printable(algorithm.error().message()));
  }
  row("links", counted(superblock.link_entries, "object") + " with several names");
  if (image.state()) row("state", delta::state_text(*image.state()) + ", of a delta");
  row("numbers", counted(image.inode_runs(), "run"));
  row("volumes", grouped(image.volumes().size()));
  for (const auto& origin : image.volume_origins()) row("needs", origin_text(image, origin));
  row("files", size_text(sum_of(files)) + ", consisting of");
  session.print(space_text(space_parts(image, sum_of(files)), sum_of(files)));
}

/// "regular file" in the plural, "directory" and so on.
std::string kind_text(const IndexScan::Kind& kind) {
  const bool directory = kind.type == format::kTypeDirectory;
  const std::string word(type_text(kind.type));
  return counted(kind.count, word, directory ? "directories" : "");
}

/// The facts that --scan adds.
struct ImageScan {
  IndexScan index;
  PageScan pages;
};

/// @param damaged  is called for each damaged region of the index
Result<ImageScan> scan_all(const Session& session, const reader::Image& image,
                           const std::function<void(const std::string&)>& damaged) {
  ProgressBar bar(session.io(), false);
  const auto show = [&](const char* label, std::uint64_t done, std::uint64_t total) {
    // Reading the clock costs more than counting an entry.
    if (total != 0 || done % 64 == 0) bar.update(label, done, total);
    return !session.should_stop();
  };
  const auto pages_bytes = section_bytes(image.superblock(), SectionKind::kPages);
  DGFS_TRY(pages, scan_pages(image, [&](std::uint64_t read) {
             return show("scanning", read * format::kPageBytes, pages_bytes);
           }));
  const IndexScanWatcher watcher{
      .counted = [&](std::uint64_t entries) { return show("counting", entries, 0); },
      .checked = [&](std::uint64_t bytes,
                     std::uint64_t total) { return show("checking", bytes, total); }};
  DGFS_TRY(index, scan_index(image, watcher, [&](const Error& error) {
             bar.clear();
             damaged(error.message());
           }));
  return ImageScan{std::move(index), std::move(pages)};
}

/// Prints the first damaged regions on the error output.
Result<ImageScan> scan_for_people(const Session& session, const reader::Image& image) {
  ReportCap cap;
  auto scan = scan_all(session, image, [&](const std::string& region) {
    if (cap.take()) session.complain("damaged: " + region);
  });
  if (const auto rest = cap.rest("in the index")) session.complain("damaged: " + *rest);
  return scan;
}

/// @param damaged  receives all damaged regions, as a JSON list
Result<ImageScan> scan_for_programs(const Session& session, const reader::Image& image,
                                    std::string& damaged) {
  auto scan = scan_all(session, image, [&](const std::string& region) {
    damaged += (damaged.empty() ? "" : ",") + json_string(region);
  });
  damaged = "[" + damaged + "]";
  return scan;
}

void print_scan(const Session& session, const reader::Image& image, const IndexScan& scan) {
  const auto row = [&](std::string_view label, std::string_view text) {
    session.print(fmt::format("{:<10} {}\n", label, text));
  };
  for (const IndexScan::Kind& kind : scan.kinds) {
    const bool sized = kind.bytes != 0;
    row("kind", kind_text(kind) + (sized ? ", " + size_text(kind.bytes) : ""));
  }
  if (scan.largest_path) {
    row("sizes", fmt::format("median {}, largest {} ({})", size_text(scan.median_bytes),
                             size_text(scan.largest_bytes), shell_quoted(*scan.largest_path)));
    row("files", fmt::format("{} empty, {} with holes", grouped(scan.empty_files),
                             grouped(scan.sparse_files)));
    if (scan.fragment_files != 0) {
      row("fragments", counted(scan.fragment_files, "file") + " in frames shared with neighbours");
    }
    row("shared", scan.shared_files == 0 ? "no contents"
                                         : fmt::format("contents of {}, {} stored only once",
                                                       counted(scan.shared_files, "file"),
                                                       size_text(scan.shared_bytes)));
    constexpr char kMinute[] = "%Y-%m-%d %H:%M";
    row("modified", fmt::format("{} to {}", format_time(*scan.oldest, kMinute),
                                format_time(*scan.newest, kMinute)));
  }
  row("xattrs", counted(scan.with_xattrs, "object") + " with extended attributes");
  const std::string_view copies = image.has_second_index() ? "both copies" : "the only copy";
  row("checked", scan.damaged_regions == 0
                     ? fmt::format("index, {}: every checksum is right", copies)
                     : counted(scan.damaged_regions, "damaged region") + " in the index");
}

void add_scan(JsonObject& json, const IndexScan& scan, const std::string& damaged) {
  std::string kinds;
  for (const IndexScan::Kind& kind : scan.kinds) {
    JsonObject object;
    object.add("type", type_word(kind.type)).add("count", kind.count).add("bytes", kind.bytes);
    kinds += (kinds.empty() ? "" : ",") + object.text();
  }
  json.add_raw("kinds", "[" + kinds + "]");
  if (scan.largest_path) {
    json.add("median_bytes", scan.median_bytes)
        .add("largest_bytes", scan.largest_bytes)
        .add("largest_path", *scan.largest_path)
        .add("oldest", utc_time(*scan.oldest))
        .add("newest", utc_time(*scan.newest));
  }
  json.add("empty_files", scan.empty_files)
      .add("sparse_files", scan.sparse_files)
      .add("with_xattrs", scan.with_xattrs)
      .add("fragment_files", scan.fragment_files)
      .add("shared_files", scan.shared_files)
      .add("shared_bytes", scan.shared_bytes)
      .add("damaged_index_regions", scan.damaged_regions)
      .add_raw("damaged_index", damaged);
}

JsonObject as_json(const Session& session, const reader::Image& image) {
  const format::Superblock& superblock = image.superblock();
  const auto facts = file_facts(session, image);
  const auto files_bytes = sum_of(facts);
  std::string files;
  for (const FileFacts& file : facts) {
    JsonObject object;
    object.add("role", file.role).add("path", file.path).add("bytes", file.bytes);
    files += (files.empty() ? "" : ",") + object.text();
  }
  JsonObject json;
  json.add("uuid", format::uuid_text(superblock.uuid))
      .add("format", fmt::format("{}.{}", superblock.version_major, superblock.version_minor))
      .add("checksums", kChecksumName)
      .add_raw("features", features_json(superblock))
      .add("created_seconds", superblock.created_seconds)
      .add_raw("files_of_image", "[" + files + "]")
      .add("second_index", image.has_second_index())
      .add("index_bytes", superblock.index_bytes)
      .add("index_bytes_per_entry", per_entry(superblock, superblock.index_bytes))
      .add("page_bytes", section_bytes(superblock, SectionKind::kPages))
      .add("page_directory_bytes", section_bytes(superblock, SectionKind::kPageDirectory))
      .add("model_bytes", section_bytes(superblock, SectionKind::kModels))
      .add("digests", digests_word(image))
      .add("digest_bytes", digest_bytes(superblock))
      .add("memory_bytes", image.resident_bytes())
      .add("entries", superblock.namespace_entries)
      .add("regular_files", superblock.regular_files)
      .add("directories", superblock.directories)
      .add("symlinks", superblock.symlinks)
      .add("other_files", superblock.other_files)
      .add("multiply_linked_objects", superblock.link_entries)
      .add("content_bytes", superblock.content_bytes)
      .add("stored_bytes", superblock.stored_bytes)
      .add("inode_runs", image.inode_runs())
      .add("volumes", image.volumes().size())
      .add_raw("missing_volumes", fmt::format("[{}]", fmt::join(missing_volumes(image), ",")))
      .add_raw("needed_volumes", origins_json(image))
      .add("state", image.state() ? delta::state_text(*image.state()) : std::string());
  add_sections(json, superblock);
  add_space(json, space_parts(image, files_bytes));
  return json;
}

Manual info_manual() {
  return {.paragraphs = {"Without --scan, all facts come from the superblock and the tables of "
                         "the index, at once for an index of any size: counts, features, volumes, "
                         "models, and what the bytes of the files and of the index are used for. "
                         "Contents include their checksums.",
                         kColumnsHelp, kJsonHelp},
          .examples = {{"dgfs info tree.dgfs", "Shows counts, sizes and features, at once."},
                       {"dgfs info --scan tree.dgfs",
                        "Adds the facts that take a pass over the index, like the largest file."},
                       {"dgfs info --json tree.dgfs", "Prints the same facts as JSON."},
                       {"dgfs info --live /mnt/tree", "Shows what a mount has done so far."}},
          .see_also = {"dgfs-verify(1)"}};
}

}  // namespace

int run_info(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "info");
  OptionParser options({"dgfs info", "IMAGE", "Shows what an image consists of."});
  ImageOptions image_options;
  bool json = false;
  bool live = false;
  bool scan = false;
  image_options.add_to(options);
  options.flag("--json", "Print one JSON object", json);
  options.flag(
      "--scan",
      "Also go through the whole index: show bytes by column, models and attribute tables with the "
      "pages that use them, counts and bytes by kind, median and largest file, and whether both "
      "copies of the index are intact (the first 100 damaged places are listed, with --json all); "
      "contents are not read",
      scan);
  options.flag("--live",
               "Show the requests, latencies, caches and device reads of a mount since it began; "
               "IMAGE is the directory on which the image is mounted",
               live);
  options.manual(info_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 1, 1);
  if (exit_code) return *exit_code;
  if (live && scan) return session.fail_usage("--live and --scan cannot be combined");
  if (live) return print_live_statistics(session, operands[0], json);
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;
  std::optional<ImageScan> found;
  std::string damaged;
  if (scan) {
    Result<ImageScan> scanned =
        json ? scan_for_programs(session, *image, damaged) : scan_for_people(session, *image);
    if (!scanned) return session.fail(scanned.error());
    found = std::move(scanned).value();
  }
  if (json) {
    JsonObject object = as_json(session, *image);
    if (found) add_scan(object, found->index, damaged);
    if (found) {
      add_pages(object, *image, found->pages);
    } else {
      add_generations(object, *image);
    }
    session.print(object.line());
  } else {
    print_text(session, *image);
    if (found) {
      session.print(pages_text(*image, found->pages));
      print_scan(session, *image, found->index);
    } else {
      session.print(generations_text(*image));
      session.print("--scan shows more: bytes by column and by kind of file, sizes, damage\n");
    }
  }
  return session.finish(found && found->index.damaged_regions != 0 ? kExitFailed : kExitDone);
}

}  // namespace dgfs::tools
