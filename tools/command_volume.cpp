// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs volume: lists the volumes of an image, and moves them.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "format/limits.h"
#include "reader/volume/move.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/paths/image_argument.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

class VolumeCommand {
 public:
  VolumeCommand(const Session& session, const reader::Image& image, bool json, bool quiet)
      : session_(session), image_(image), json_(json), quiet_(quiet) {}

  /// Prints a line for each volume; fails if one is missing.
  [[nodiscard]] int list() const {
    int code = kExitDone;
    if (!json_) session_.print("volume  contents  file\n");
    for (const auto& record : image_.volumes()) {
      const auto path = image_.volume_path(record.number);
      if (!path) code = kExitFailed;
      print_row(record, path);
    }
    return code;
  }

  [[nodiscard]] int move(const std::string& number_text, std::string destination) const {
    const auto number = parse_number(number_text);
    const auto& records = image_.volumes();
    const auto known = [&](const auto& record) {
      return number && record.number == number.value();
    };
    const auto record = std::find_if(records.begin(), records.end(), known);
    if (record == records.end()) {
      session_.complain(fmt::format("the image has no volume {} ('dgfs volume list' lists them)",
                                    shell_quoted(number_text)));
      return kExitFailed;
    }
    const auto& origins = image_.volume_origins();
    const auto origin = std::ranges::find(origins, record->number, &format::VolumeOrigin::number);
    if (origin != origins.end()) {
      session_.complain(fmt::format(
          "volume {} is volume {} of the image of uuid {}, which would lose it; move it with that "
          "image, and name its place with --volume",
          record->number, origin->own_number, format::uuid_text(origin->image)));
      return kExitFailed;
    }
    const auto from = image_.volume_path(record->number);
    if (!from) return session_.fail(from.error());
    if (is_directory(destination)) {
      // Takes the name from the build: after a crash, the file may have a hidden name.
      destination += "/" + (record->hint.empty() ? storage::base_name(from.value()) : record->hint);
    }
    const auto moved = move_file(from.value(), destination);
    if (!moved) return session_.fail(moved.error());
    tell_moved(*record, from.value(), destination, moved.value());
    return kExitDone;
  }

 private:
  void print_row(const format::VolumeRecord& record, const Result<std::string>& path) const {
    const std::uint64_t bytes = record.data_end - format::kPageBytes;
    if (json_) {
      JsonObject line;
      line.add("volume", record.number).add("content_bytes", bytes).add("is_missing", !path);
      if (path) {
        line.add("path", path.value());
      } else {
        line.add("reason", path.error().message());
      }
      return session_.print(line.line());
    }
    const auto place =
        path ? shell_quoted(path.value()) : "missing: " + printable(path.error().message());
    session_.print(fmt::format("{:>6}  {:>8}  {}\n", record.number, size_text(bytes), place));
  }

  [[nodiscard]] bool is_directory(const std::string& path) const {
    return session_.env().open_directory(path).has_value();
  }

  [[nodiscard]] Result<reader::MoveReport> move_file(const std::string& from,
                                                     const std::string& to) const {
    ProgressBar bar(session_.io(), quiet_ || json_);
    reader::MoveOptions options;
    options.progress = [&bar](std::uint64_t done, std::uint64_t total) {
      bar.update("moving", done, total);
    };
    options.stop = &session_.io().stop;
    return reader::move_volume_file(session_.env(), from, to, options);
  }

  void tell_moved(const format::VolumeRecord& record, const std::string& from,
                  const std::string& to, const reader::MoveReport& moved) const {
    if (json_) {
      JsonObject line;
      line.add("volume", record.number).add("from", from).add("to", to).add("bytes", moved.bytes);
      return session_.print(line.add("is_copied", moved.is_copied).line());
    }
    if (quiet_) return;
    session_.print(fmt::format("volume {}: {} is now {} ({})\n", record.number, shell_quoted(from),
                               shell_quoted(to), size_text(moved.bytes)));
  }

  const Session& session_;
  const reader::Image& image_;
  bool json_;
  bool quiet_;
};

Manual volume_manual() {
  return {
      .paragraphs =
          {"An image of several volumes (dgfs build --volume) finds each by its uuid and number: "
           "under the name it was built with, in the directory of the image, or where --volume "
           "says. 'list' shows where each volume lies, and which are missing: files in a missing "
           "volume cannot be read, all others can.",
           "'move' moves volume NUMBER to DEST, a new name or a directory. Within one file system, "
           "the file gets its new name before it loses the old one. To another file system it is "
           "copied, synced, and compared with the old file before that is removed. An interruption "
           "leaves the volume where it was; a killed move may leave both names, each of a whole "
           "file. Mounts of the image go on reading during the move. Volume 0 is the image itself; "
           "its index file stays where it is.",
           kJsonHelp},
      .examples = {{"dgfs volume list tree.dgfs", "Shows where the contents lie."},
                   {"dgfs volume move tree.dgfs 2 /disk2/", "Moves a volume to another disk."},
                   {"dgfs ls tree.dgfs --volume /disk2/tree.2",
                    "Uses an image whose volume lies elsewhere."}},
      .exit_statuses = {{0, "All volumes are there; the volume was moved."},
                        {1, "A volume is missing, or was not moved."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-build(1)", "dgfs-verify(1)", "dgfs-info(1)"}};
}

}  // namespace

int run_volume(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "volume");
  OptionParser options({"dgfs volume", "list|move IMAGE [NUMBER DEST]",
                        "Lists the volumes of an image, or moves one of them."});
  ImageOptions image_options;
  bool json = false;
  bool quiet = false;
  image_options.add_to(options);
  options.flag("-q,--quiet", "Print no progress, and no result of the move", quiet);
  options.flag("--json", "Print JSON objects, one per line", json);
  options.manual(volume_manual());
  const auto [operands, exit_code] = session.parse(options, arguments, 2, 4);
  if (exit_code) return *exit_code;
  const bool moves = operands[0] == "move";
  if (!moves && operands[0] != "list") {
    return session.fail_usage(shell_quoted(operands[0]) + ": must be 'list' or 'move'");
  }
  if (operands.size() != (moves ? 4U : 2U)) {
    return session.fail_usage(moves ? "move needs IMAGE, NUMBER and DEST" : "list needs IMAGE");
  }
  if (const auto refused = session.refuse_streams({&operands.back(), 1})) return *refused;
  const auto image = open_image(session, operands[1], image_options);
  if (!image) return kExitFailed;
  const VolumeCommand command(session, *image, json, quiet);
  return session.finish(moves ? command.move(operands[2], operands[3]) : command.list());
}

}  // namespace dgfs::tools
