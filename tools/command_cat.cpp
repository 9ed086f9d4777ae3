// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs cat: contents to the output, as cat(1). Holes come out as zeros.
#include <algorithm>

#include "format/mode.h"
#include "tools/command.h"
#include "tools/image_argument.h"
#include "tools/image_path.h"
#include "tools/path_pattern.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kPrintPieceBytes = std::size_t{1} << 20;

Status print_contents(const Session& session, const reader::Image& image, const std::string& path,
                      Buffer& chunk) {
  DGFS_TRY(found, find_node(image, path, Follow::kYes));
  if (format::is_directory(found.node.mode)) {
    return Error(ErrorKind::kIsDirectory, 6040, "Is a directory");
  }
  if (!format::is_regular(found.node.mode)) {
    return Error(ErrorKind::kInvalidArgument, 6041, "Not a regular file; it has no contents");
  }
  for (std::uint64_t offset = 0; offset < found.node.size_bytes && !session.should_stop();) {
    DGFS_TRY(count, image.read(found.node, offset, chunk));
    if (count == 0) return Error(ErrorKind::kCorrupt, 6042, "contents end early");
    session.print(as_text(Bytes(chunk).first(count)));
    offset += count;
  }
  return ok();
}

Manual cat_manual() {
  return {.paragraphs = {kPatternHelp},
          .examples = {{"dgfs cat tree.dgfs etc/passwd", "Prints one file."},
                       {"dgfs cat tree.dgfs 'etc/*.conf'", "Prints all files that fit."},
                       {"dgfs cat tree.dgfs log/1 log/2 | grep error", "Searches two files."}},
          .exit_statuses = {{0, "Everything was printed."},
                            {1,
                             "A file is missing, damaged, or cannot be printed. What was "
                             "printed before is right."},
                            {2, "Wrong usage."}},
          .see_also = {"dgfs-extract(1)", "cat(1)"}};
}

}  // namespace

int run_cat(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "cat");
  OptionParser options(
      {"dgfs cat", "IMAGE PATH...",
       "Prints the contents of files one after the other. Every byte is checked."});
  ImageOptions image_options;
  image_options.add_to(options);
  options.manual(cat_manual());
  auto [operands, exit_code] = session.parse(options, arguments, 2, SIZE_MAX);
  if (exit_code) return *exit_code;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;

  int code = kExitDone;
  Buffer chunk(kPrintPieceBytes);
  operands.erase(operands.begin());
  for (const std::string& operand : expand_patterns(*image, operands)) {
    if (session.should_stop()) break;
    const Status printed = print_contents(session, *image, operand, chunk);
    if (printed) continue;
    session.complain(operand, printed.error().message());
    code = kExitFailed;
  }
  return session.finish(code);
}

}  // namespace dgfs::tools
