// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs merge: packs an image and the changes in its delta into a new image.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "delta/merge/image_settings.h"
#include "delta/merge/merge.h"
#include "format/header/feature.h"
#include "format/header/index_path.h"
#include "format/limits.h"
#include "storage/env.h"
#include "tools/build/option_values.h"
#include "tools/build/summary.h"
#include "tools/cli/hole_notice.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/merge/source.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kMemoryBytesDefault = std::size_t{256} << 20;
constexpr char kAllContents[] = "all";  // of --repack
// The caches of image, delta and view take a quarter of the memory, but at least so much, which is
// the least for a view and some blocks in the hands of threads.
constexpr std::size_t kCacheShare = 4;
constexpr std::size_t kCacheBytesMin = std::size_t{24} << 20;

struct MergeCommand {
  MergeInputs inputs;
  builder::BuildOptions build;
  std::size_t memory_bytes = kMemoryBytesDefault;
  std::optional<std::string> new_path;
  /// Values of options; none: as IMAGE has it.
  std::optional<std::optional<builder::Compression>> compression;
  std::optional<std::size_t> fragment_frame_bytes;
  std::optional<std::optional<format::DigestAlgorithm>> digest;
  bool repacks = false;
  std::optional<unsigned> dead_percent;
  bool renumbers = false;
  merge::KeptTimes times = merge::KeptTimes::kAll;
  bool quiet = false;
  bool json = false;
};

void add_input_options(OptionParser& options, MergeCommand& command,
                       std::optional<std::string>& delta) {
  options.value("--delta", "DIR", "The delta of IMAGE, also called D", delta);
  options.value("--as-of", "STATE",
                "Merge the changes up to this state, a name or an id of 'dgfs delta log'; the "
                "delta may be mounted meanwhile. 'newest' is the last state that was kept",
                command.inputs.as_of);
  command.inputs.image_options.add_to(options);
}

void add_output_options(OptionParser& options, MergeCommand& command) {
  builder::BuildOptions& build = command.build;
  options.value("-o,--output", "FILE", "The new image, also called NEW", command.new_path);
  options.value("--new-index", "FILE", "Where to write its index (default: NEW.idx)",
                build.index_path);
  options.values("--new-volume", "FILE",
                 "A further file to spread its contents over, usually on another disk (can be "
                 "repeated)",
                 build.volume_paths);
  options.flag("--force", "Also replace files at these paths that are not DGFS files", build.force);
  options.on_optional_value(
      "--repack", "PERCENT", kAllContents,
      "Pack all contents anew, so that NEW needs no other image. With PERCENT, from 0 to 99: pack "
      "anew the contents of volumes with more than so many of a hundred bytes that no file uses",
      [&](const std::string& value) -> Status {
        command.repacks = value == kAllContents;
        command.dead_percent.reset();
        if (command.repacks) return ok();
        DGFS_TRY(percent, parse_percent(value));
        command.dead_percent = percent;
        return ok();
      });
  options.flag(
      "--renumber",
      "With --repack: give all objects new numbers, as a build does, and drop the times of "
      "access and of the last change of attributes",
      command.renumbers);
  options.on_value("--times", "WHICH",
                   "Keep all times (default), or mtime alone: a file with another time of access, "
                   "or of the last change of attributes, takes 7 to 9 bytes more in the index",
                   [&](const std::string& value) -> Status {
                     if (value != "all" && value != "mtime") {
                       return Error(ErrorKind::kInvalidArgument, 6947, "must be all or mtime");
                     }
                     command.times =
                         value == "all" ? merge::KeptTimes::kAll : merge::KeptTimes::kMtime;
                     return ok();
                   });
  options.choices("--times", {"all", "mtime"});
  options.on_value("--compress", "METHOD",
                   fmt::format("Compression of contents: none, zstd, or zstd:LEVEL with a level "
                               "from 1 to 22 (default: zstd:{} if IMAGE has compressed contents)",
                               builder::kCompressionLevelDefault),
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(compression, parse_compression(value));
                     command.compression = compression;
                     return ok();
                   });
  options.on_value("--fragment-frames", "SIZE",
                   "With compression: small neighbours share frames of up to SIZE of content, 4K "
                   "to 64K, or 0 for none (default: 64K if IMAGE has such frames)",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(bytes, parse_fragment_frames(value));
                     command.fragment_frame_bytes = bytes;
                     return ok();
                   });
  options.on_flag("--no-dedup", "Store the contents of each file, even if several are the same",
                  [&](const auto&) -> Status {
                    build.dedup = false;
                    return ok();
                  });
  options.on_value("--digest", "ALGORITHM",
                   "Keep a digest of each file's content: none or sha256 (default: as IMAGE)",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(digest, parse_digest(value));
                     command.digest = digest;
                     return ok();
                   });
}

void add_work_options(OptionParser& options, MergeCommand& command) {
  options.flag("-n,--dry-run", "Write nothing; print what would be packed, the largest files first",
               command.build.dry_run);
  options.number("-j,--jobs", "N", "Reading threads, as of dgfs build", command.build.jobs);
  options.on_value("--memory", "SIZE",
                   "Memory for buffers, sorting and caches, at least 28M (default: 256M); K, M "
                   "and G are powers of 1024",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(bytes, parse_size(value));
                     if (bytes < kCacheBytesMin + builder::kMemoryBytesMin) {
                       return Error(ErrorKind::kInvalidArgument, 6946, "must be at least 28M");
                     }
                     command.memory_bytes = static_cast<std::size_t>(bytes);
                     return ok();
                   });
  options.flag("-q,--quiet", "Print no progress and no summary", command.quiet);
  options.flag("--json", "Print the summary as a JSON object", command.json);
}

bool is_same_file(const Session& session, const std::string& one, const std::string& other) {
  const auto first = session.env().status(one);
  const auto second = session.env().status(other);
  return first && second && first.value().device == second.value().device &&
         first.value().inode == second.value().inode;
}

// IMAGE and D are read while NEW is written, and stay as they are.
Status check_outputs(const Session& session, const MergeCommand& command,
                     const reader::Image& image) {
  std::vector<std::string> outputs = command.build.volume_paths;
  outputs.push_back(command.build.image_path);
  outputs.push_back(index_path_of(command.build));
  std::vector<std::string> inputs;
  for (const auto& [role, path] : image.files()) inputs.push_back(path);
  // It may be damaged, so that the copy in the image is in use.
  inputs.push_back(format::default_index_path(command.inputs.image_path));
  for (const std::string& output : outputs) {
    const auto refused = [&](const char* text) {
      return Error(ErrorKind::kInvalidArgument, 6944, text).in_file(output);
    };
    for (const std::string& input : inputs) {
      if (is_same_file(session, input, output)) {
        return refused("belongs to IMAGE, which the merge only reads; choose another name");
      }
    }
    const auto folder = storage::parent_path(output);
    for (const std::string& above : {folder, folder + "/.."}) {
      if (is_same_file(session, above, command.inputs.delta_path)) {
        return refused("lies in the delta, which the merge only reads; choose another place");
      }
    }
  }
  return ok();
}

// Sets the options that follow from the image.
Status take_over(MergeCommand& command, const reader::Image& image) {
  builder::BuildOptions& build = command.build;
  DGFS_CHECK(merge::take_over_settings(image, build));
  const auto digest = build.digest;
  if (command.compression) {
    const auto frames = build.compression ? build.compression->fragment_frame_bytes : 0;
    build.compression = *command.compression;
    if (build.compression) build.compression->fragment_frame_bytes = frames;
  }
  if (build.compression && command.fragment_frame_bytes) {
    build.compression->fragment_frame_bytes = *command.fragment_frame_bytes;
  }
  if (command.fragment_frame_bytes.value_or(0) != 0 && !build.compression) {
    return Error(ErrorKind::kInvalidArgument, 6945,
                 "--fragment-frames needs --compress, since the contents of IMAGE are not "
                 "compressed");
  }
  build.digest = command.digest.value_or(digest);
  if (build.digest && !digest && !command.repacks) {
    return Error(ErrorKind::kInvalidArgument, 6948,
                 "IMAGE keeps no digests, so digests need --repack, which reads all contents");
  }
  return ok();
}

void print_report(const Session& session, const MergeCommand& command,
                  const builder::BuildReport& report) {
  if (command.json) {
    JsonObject json = command.build.dry_run ? plan_json(command.build, report)
                                            : summary_json(command.build, report);
    return session.print(json.line());
  }
  if (command.quiet) return;
  if (command.build.dry_run) return print_plan(session, command.build, report);
  print_summary(session, command.build, report, "entries");
  if (report.kept_volumes.empty()) return;
  session.print(fmt::format("{} needs {}; --repack makes an image that needs no other\n",
                            shell_quoted(command.build.image_path), volumes_text(report)));
  const auto folder = storage::parent_path(command.inputs.image_path);
  if (is_same_file(session, folder, storage::parent_path(command.build.image_path))) return;
  session.print(fmt::format("both must lie in one folder, or commands need --volume {}\n",
                            shell_quoted(folder)));
}

int run(const Session& session, MergeCommand& command) {
  const std::size_t cache_bytes = std::max(command.memory_bytes / kCacheShare, kCacheBytesMin);
  command.inputs.memory_bytes = cache_bytes;
  command.build.memory_bytes = command.memory_bytes - std::min(command.memory_bytes, cache_bytes);
  command.inputs.check_image = [&](const reader::Image& image) -> Status {
    DGFS_CHECK(check_outputs(session, command, image));
    return take_over(command, image);
  };
  const auto source = open_merge_source(session, command.inputs);
  constexpr char kNothing[] = "nothing was written";
  if (!source) return session.fail(source.error(), kNothing);
  ProgressBar bar(session.io(), command.quiet);
  command.build.progress = [&](const builder::Progress& now) { show_progress(bar, now); };
  command.build.long_holes = [&](const format::LongHoles& holes) {
    if (command.quiet) return;
    bar.clear();
    tell_of_holes(session, holes, command.build.jobs, "--digest none makes no digests");
  };
  command.build.stop = &session.io().stop;
  const MergeSource& opened = source.value();
  // Without its times, the tree does not equal the state.
  const auto state = command.times == merge::KeptTimes::kAll ? opened.state : std::nullopt;
  const auto report =
      command.renumbers
          ? merge::repack(session.env(), *opened.view, command.build)
          : merge::merge(session.env(), *opened.image, *opened.delta, *opened.view,
                         {command.times, !command.repacks, command.dead_percent, state},
                         command.build);
  bar.clear();
  if (!report) return session.fail(report.error(), kNothing);
  print_report(session, command, report.value());
  return kExitDone;
}

Manual merge_manual() {
  return {
      .paragraphs =
          {"IMAGE and D are only read. NEW and its index get their names when they are complete; "
           "an older image at NEW is replaced then. A merge that fails or is interrupted leaves "
           "nothing behind. The same IMAGE, changes and options give the same bytes, on any number "
           "of threads.",
           "Contents that have not changed stay where they are, in the files of IMAGE and of the "
           "images that IMAGE needs. So NEW needs these files, and 'dgfs info' lists them. "
           "Contents "
           "of earlier merges that are not larger than the rest are packed anew, so that these "
           "files stay few.",
           "With --repack and --renumber, NEW is the image that dgfs build makes of the same tree "
           "with the same options: it has all contents, and needs no other image. A delta of IMAGE "
           "does not belong to it; begin a new one. Times of last access and of last change of "
           "attributes are not kept.",
           "Names that 'dgfs delta check --image' finds broken are not merged; repair them first. "
           "The check runs before anything is written."},
      .examples = {{"dgfs merge crawl.dgfs --delta crawl.delta -o new.dgfs --repack --renumber",
                    "Packs the image and its changes into an image of its own."},
                   {"dgfs merge crawl.dgfs --delta crawl.delta --as-of nightly-02 -o new.dgfs",
                    "Packs the changes up to an earlier state, also while the delta is mounted."}},
      .exit_statuses = {{0, "NEW is complete and in its place."},
                        {1, "Nothing was written."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-build(1)", "dgfs-delta(1)", "dgfs-mount(1)"}};
}

}  // namespace

int run_merge(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "merge");
  OptionParser options(
      {"dgfs merge", "IMAGE",
       "Packs IMAGE and the changes in its delta (--delta) into a new image (-o)."});
  MergeCommand command;
  std::optional<std::string> delta;
  add_input_options(options, command, delta);
  add_output_options(options, command);
  add_work_options(options, command);
  options.manual(merge_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 1, 1);
  if (exit_code) return *exit_code;
  if (!delta || delta->empty()) return session.fail_usage("name the delta with --delta");
  if (!command.new_path || command.new_path->empty()) {
    return session.fail_usage("name the new image with -o");
  }
  if (command.renumbers && !command.repacks) {
    return session.fail_usage("--renumber is only for --repack");
  }
  if (command.build.index_path && command.build.index_path->empty()) {
    return session.fail_usage("--new-index: '' is no file name");
  }
  command.inputs.image_path = operands[0];
  command.inputs.delta_path = *delta;
  command.build.image_path = *command.new_path;
  std::vector<std::string> paths = {operands[0], *delta, *command.new_path,
                                    command.build.index_path.value_or("")};
  paths.insert(paths.end(), command.build.volume_paths.begin(), command.build.volume_paths.end());
  if (const auto refused = session.refuse_streams(paths)) return *refused;
  return run(session, command);
}

}  // namespace dgfs::tools
