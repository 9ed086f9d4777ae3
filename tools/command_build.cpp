// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs build: turns options into a call of dgfs::builder::build(), and its report into a summary.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "builder/build.h"
#include "storage/names.h"
#include "tools/build/check.h"
#include "tools/build/option_values.h"
#include "tools/build/summary.h"
#include "tools/cli/hole_notice.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/rule_options.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/info/verification.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"
#include "tools/text/user_names.h"

namespace dgfs::tools {
namespace {

struct BuildCommand {
  builder::BuildOptions build;
  bool verify = false;
  bool quiet = false;
  bool json = false;
};

/// Adds the options that choose what is packed, and with which owners and modes.
void add_tree_options(OptionParser& options, builder::BuildOptions& build) {
  options.flag("-x,--one-file-system", "Keep directories on other file systems empty",
               build.one_file_system);
  options.on_value("--owner", "USER", "Make all files belong to this user (name or number)",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(uid, parse_user(value));
                     build.uid = uid;
                     return ok();
                   });
  options.on_value("--group", "GROUP", "Make all files belong to this group (name or number)",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(gid, parse_group(value));
                     build.gid = gid;
                     return ok();
                   });
  options.on_flag("--all-root", "Same as --owner 0 --group 0", [&](const auto&) -> Status {
    build.uid = 0;
    build.gid = 0;
    return ok();
  });
  options.on_value("--clear-mode", "MODE", "Clear these bits of every mode (022, go=w)",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(mode, parse_mode(value));
                     build.permission_mask = mode;
                     return ok();
                   });
  options.on_flag("--no-xattrs", "Leave out extended attributes and ACLs",
                  [&](const auto&) -> Status {
                    build.xattrs = false;
                    return ok();
                  });
  options.flag(
      "--hard-dereference",
      "Pack each name of a hard-linked file as a file of its own (their contents are still "
      "stored once, unless --no-dedup is given)",
      build.hard_dereference);
  options.flag("--clamp-mtime",
               "Set times of entries that are later than the creation time of the image to that "
               "time; needs --created or SOURCE_DATE_EPOCH",
               build.clamp_times);
  options.flag("-k,--keep-going",
               "Leave out files and attributes that cannot be read, and the end of a file that "
               "keeps growing; end with status 1",
               build.keep_going);
}

/// Adds the options that choose the output files and their encoding.
void add_output_options(OptionParser& options, builder::BuildOptions& build, bool& no_index_file,
                        std::size_t& fragment_frame_bytes) {
  options.value("--index", "FILE", "Where to write the index (default: IMAGE.idx)",
                build.index_path);
  options.values("--volume", "FILE",
                 "A further file to spread contents over, usually on another disk (can be "
                 "repeated)",
                 build.volume_paths);
  options.flag(
      "--force",
      "Also replace files at IMAGE, index and volumes that are not DGFS files; a volume of "
      "another image is never replaced",
      build.force);
  options.flag("--no-index-file", "Write no separate index, only the copy in the image",
               no_index_file);
  options.on_flag("--no-index-copy", "Write only the separate index, no copy in the image",
                  [&](const auto&) -> Status {
                    build.trailing_index = false;
                    return ok();
                  });
  options.on_value("--compress", "METHOD",
                   fmt::format("Compression of contents: none (default), zstd, or zstd:LEVEL with "
                               "a level from 1 to 22 (default: {})",
                               builder::kCompressionLevelDefault),
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(compression, parse_compression(value));
                     build.compression = compression;
                     return ok();
                   });
  options.on_value("--fragment-frames", "SIZE",
                   "With --compress: small neighbours share frames of up to SIZE of content, 4K to "
                   "64K; smaller, but reading one of these files decodes all that share its frame",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(bytes, parse_fragment_frames(value));
                     fragment_frame_bytes = bytes;
                     return ok();
                   });
  options.on_flag("--no-dedup", "Store the contents of each file, even if several are the same",
                  [&](const auto&) -> Status {
                    build.dedup = false;
                    return ok();
                  });
  options.on_value("--digest", "ALGORITHM",
                   "Keep a cryptographic digest of each file's content: none (default) or sha256; "
                   "takes 32 bytes per file in the index; dgfs digest prints them",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(digest, parse_digest(value));
                     build.digest = digest;
                     return ok();
                   });
  options.number(
      "-j,--jobs", "N",
      "Reading threads (0, the default: 32, or 16 with --compress, or one per core if more)",
      build.jobs);
  options.on_value(
      "--memory", "SIZE",
      "Memory for buffers and sorting, at least 4M (default: 256M); zstd's contexts and the "
      "samples for training dictionaries come on top; K, M and G are powers of 1024",
      [&](const std::string& value) -> Status {
        DGFS_TRY(bytes, parse_build_memory(value));
        build.memory_bytes = bytes;
        return ok();
      });
  options.on_value("--uuid", "UUID", "Identity of the image (default: made from its contents)",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(uuid, format::parse_uuid(value));
                     build.uuid = uuid;
                     return ok();
                   });
  options.on_value("--created", "TIME",
                   "Creation time to record, UTC, as @1751360400 or '2025-07-01 09:00' "
                   "(default: SOURCE_DATE_EPOCH, or the time of the newest file)",
                   [&](const std::string& value) -> Status {
                     DGFS_TRY(seconds, parse_utc_time(value));
                     build.created_seconds = seconds;
                     return ok();
                   });
}

int report_losses(const Session& session, const builder::BuildReport& report) {
  for (const builder::Loss& loss : report.losses) session.complain(loss.path, loss.reason);
  const auto all = report.loss_count + report.part_loss_count;
  if (all > report.losses.size()) {
    session.complain(grouped(all - report.losses.size()) + " more are not listed");
  }
  if (all == 0) return kExitDone;
  std::string told;
  if (report.loss_count != 0) told = counted(report.loss_count, "entry", "entries") + " left out";
  if (report.part_loss_count != 0) {
    told += (told.empty() ? "" : ", ") + counted(report.part_loss_count, "part", "parts") +
            " of packed entries lost";
  }
  const bool attributes = std::ranges::any_of(report.losses, [](const builder::Loss& loss) {
    return loss.part == builder::LostPart::kAttribute;
  });
  if (attributes) told += " (--no-xattrs leaves out all attributes without a message)";
  session.complain(told);
  return kExitFailed;
}

/// --keep-going helps only if a single file below the source fails, not if an output does.
std::string consequence(const builder::BuildOptions& build, const Error& error) {
  std::string source = build.source;
  if (!source.ends_with('/')) source += '/';
  const bool one_file =
      error.file().starts_with(source) && error.kind() != ErrorKind::kNoSpace &&
      error.file() != build.image_path && error.file() != index_path_of(build) &&
      std::ranges::find(build.volume_paths, error.file()) == build.volume_paths.end();
  if (!one_file || build.keep_going) return "nothing was written";
  // Attributes that cannot be listed, or read, or that are too many.
  if (error.code() == 1004 || error.code() == 1005 || error.code() == 4020) {
    return "nothing was written (--keep-going packs the rest, --no-xattrs leaves out all "
           "attributes)";
  }
  return "nothing was written (--keep-going packs the rest)";
}

void add_verification(JsonObject& json, const std::optional<reader::VerifyReport>& report) {
  json.add("sound", report && report->sound());
  if (!report) return;
  json.add("damaged_files", report->damaged_files)
      .add("damaged_index_places", report->damaged_index_places)
      .add("index_copies", std::uint64_t{report->index_copies});
}

/// Reports each output of this build that lies in the packed tree, as tar(1) does for its archive.
void report_outputs(const Session& session, const BuildCommand& command,
                    const builder::BuildReport& report) {
  if (command.quiet) return;
  for (const std::string& path : report.replaced_in_source) {
    session.complain(storage::join_path(command.build.source, path),
                     "is not packed, because this build replaces it");
  }
}

/// Runs once the image has its name. With --json, one object at the end reports the build and its
/// verification.
int verify_and_report(const Session& session, const BuildCommand& command,
                      const builder::BuildReport& built) {
  const bool text = !command.json && !command.quiet;
  report_outputs(session, command, built);
  if (text) print_summary(session, command.build, built, "files");
  JsonObject json = summary_json(command.build, built);
  int code = kExitDone;
  if (command.verify) {
    std::optional<reader::VerifyReport> report;
    code = check_published(session,
                           {command.build.image_path, index_path_of(command.build),
                            command.build.volume_paths, command.build.digest.has_value()},
                           command.build.jobs, command.quiet, report);
    if (text && code == kExitDone) session.print("verified: " + summary_text(*report) + "\n");
    add_verification(json, report);
  }
  if (command.json) session.print(json.line());
  return std::max(code, report_losses(session, built));
}

int run(const Session& session, BuildCommand& command) {
  ProgressBar bar(session.io(), command.quiet);
  command.build.progress = [&](const builder::Progress& now) { show_progress(bar, now); };
  command.build.long_holes = [&](const format::LongHoles& holes) {
    if (command.quiet) return;
    bar.clear();
    tell_of_holes(session, holes, command.build.jobs, "--digest none makes no digests");
  };
  command.build.stop = &session.io().stop;
  const Result<builder::BuildReport> report = builder::build(session.env(), command.build);
  bar.clear();
  if (!report) return session.fail(report.error(), consequence(command.build, report.error()));
  return verify_and_report(session, command, report.value());
}

Manual build_manual() {
  return {
      .paragraphs =
          {"The index is a separate file, so that it can lie on a faster device than the image. A "
           "copy of it stands at the end of the image. The same tree and options give the same "
           "bytes, on any number of threads.",
           "Everything is kept: owners, modes, times in nanoseconds, hard links, symbolic "
           "links, holes, devices, FIFOs, sockets, extended attributes with ACLs and "
           "capabilities, and names of any bytes. A build that fails or is interrupted leaves "
           "nothing behind.",
           "A file that changes while it is read is read again, up to three times. If it still "
           "changes, the build fails; with --keep-going, the image has the file up to the size "
           "that it had when it was opened, if two readings agree in these bytes, and a message "
           "says so. A link made or a mode set meanwhile loses nothing. A file that was replaced "
           "since its directory was listed is packed as it is then.",
           "SOURCE_DATE_EPOCH sets the creation time of the image. It leaves the times of entries "
           "alone, unless --clamp-mtime is given, as with tar(1).",
           "A file is packed with the size that the system reports. Files of /proc and /sys report "
           "size 0, so they come out empty, as with tar(1).",
           "With --volume, contents are spread over the image and further files, so that several "
           "disks serve random reads. Commands that read the image look for these volumes beside "
           "it; if they lie elsewhere, give --volume again. An older volume of the same image is "
           "replaced, a volume of another image never is. If the tree is too small for all "
           "volumes, some of them stay empty.",
           "While a build runs, no other build can write IMAGE, its index or its volumes: the "
           "other build fails, and names the process that holds them. Hidden files .NAME.lock "
           "beside the "
           "outputs serve for this, and go when the build ends; one that is left by a killed build "
           "blocks no other. An existing file that is not empty and is no image, index or volume "
           "stays, and the build fails, unless --force is given. Outputs and lock files that lie "
           "below SRC are not packed.",
           "Files with the same contents share them, unless --no-dedup is given. The build "
           "compares the bytes, not only their hashes. Each file can still be read with one read.",
           "With --digest, holes are hashed as the zeros that they read as. They are not read, but "
           "hashed one after the other: a terabyte takes minutes. If there are many gigabytes of "
           "holes, a message says so before the build begins to read.",
           "With --fragment-frames, files of up to a quarter of SIZE are compressed together with "
           "their neighbours, so that many tiny files that resemble each other take much less "
           "space. Reading one of them still takes one read, but decodes its whole frame, which is "
           "then kept for the next read. Equal contents are then found only where a whole frame is "
           "equal."},
      .examples = {{"dgfs build linux linux.dgfs",
                    "Packs the directory linux into linux.dgfs and linux.dgfs.idx."},
                   {"dgfs build --index /ssd/crawl.idx /data/crawl /data/crawl.dgfs",
                    "Puts the index on another device."},
                   {"dgfs build --compress zstd:19 --fragment-frames 64K mail mail.dgfs",
                    "Packs a million short letters as small as possible."},
                   {"dgfs build --volume /disk2/crawl.1 /data/crawl /disk1/crawl.dgfs",
                    "Spreads the contents over two disks."},
                   {"dgfs build --all-root --exclude '*.o' --exclude .git src src.dgfs",
                    "Packs sources without .git and object files."}},
      .exit_statuses = {{0, "The image is complete and in its place."},
                        {1,
                         "Nothing was written; or, with --keep-going, the image is in its place "
                         "but some files, or parts of files, were left out; or, with --verify, the "
                         "image is in its "
                         "place but damaged. The messages say which."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-mount(1)", "dgfs-verify(1)", "tar(1)", "mksquashfs(1)"}};
}

}  // namespace

int run_build(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "build");
  OptionParser options({"dgfs build", "SRC IMAGE",
                        "Packs the directory SRC into IMAGE and IMAGE.idx. Both get their names "
                        "only when they are complete; an older IMAGE is replaced then."});
  BuildCommand command;
  RuleOptions rule_options;
  rule_options.add_to(options);
  add_tree_options(options, command.build);
  bool no_index_file = false;
  std::size_t fragment_frame_bytes = 0;
  add_output_options(options, command.build, no_index_file, fragment_frame_bytes);
  options.flag("--verify",
               "Read the finished image back from the device and check all of it, as dgfs verify "
               "does",
               command.verify);
  options.flag("-q,--quiet", "Print no progress and no summary", command.quiet);
  options.flag("--json", "Print the summary as a JSON object", command.json);
  options.manual(build_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 2, 2);
  if (exit_code) return *exit_code;
  auto choice = rule_options.read(io);
  if (!choice) return session.fail(choice.error(), "nothing was written");
  command.build.rules = std::move(choice.value().rules);
  command.build.paths = std::move(choice.value().paths);
  command.build.source = operands[0];
  command.build.image_path = operands[1];
  std::vector<std::string> paths = {operands[0], operands[1],
                                    command.build.index_path.value_or("")};
  paths.insert(paths.end(), command.build.volume_paths.begin(), command.build.volume_paths.end());
  if (const auto refused = session.refuse_streams(paths)) return *refused;
  if (command.build.index_path && command.build.index_path->empty()) {
    return session.fail_usage("--index: '' is no file name (--no-index-file writes no index file)");
  }
  if (no_index_file && command.build.index_path) {
    return session.fail_usage("--no-index-file and --index cannot be combined");
  }
  if (no_index_file && !command.build.trailing_index) {
    return session.fail_usage("--no-index-file and --no-index-copy cannot be combined");
  }
  if (no_index_file) command.build.index_path = "";
  if (fragment_frame_bytes != 0 && !command.build.compression) {
    return session.fail_usage("--fragment-frames needs --compress");
  }
  if (fragment_frame_bytes != 0)
    command.build.compression->fragment_frame_bytes = fragment_frame_bytes;
  return run(session, command);
}

}  // namespace dgfs::tools
