// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs cat: prints contents, as cat(1). Holes are printed as zeros.
#include <algorithm>

#include "format/entry/mode.h"
#include "tools/cat_filter.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/image_path.h"
#include "tools/paths/operand_pattern.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kPrintPieceBytes = std::size_t{1} << 20;

Status print_contents(const Session& session, const reader::Image& image, const std::string& path,
                      Buffer& chunk, CatFilter* filter) {
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
    const std::string_view piece = as_text(Bytes(chunk).first(count));
    filter == nullptr ? session.print(piece) : session.print(filter->next(piece));
    offset += count;
  }
  return ok();
}

void add_cat_options(OptionParser& options, CatOptions& cat) {
  const auto set = [&options](const std::string& names, const std::string& help,
                              std::vector<bool*> targets) {
    options.on_flag(names, help, [targets](const auto&) -> Status {
      for (bool* target : targets) *target = true;
      return ok();
    });
  };
  set("-n,--number", "Number the lines", {&cat.numbers_all});
  set("-b,--number-nonblank", "Number only lines that are not blank; overrides -n",
      {&cat.numbers_nonblank});
  set("-s,--squeeze-blank", "Print only one of several blank lines in a row", {&cat.squeezes});
  set("-E,--show-ends", "Print $ at the end of each line", {&cat.shows_ends});
  set("-T,--show-tabs", "Print tabs as ^I", {&cat.shows_tabs});
  set("-v,--show-nonprinting", "Print other invisible bytes with ^ and M-", {&cat.shows_others});
  set("-A,--show-all", "Same as -vET", {&cat.shows_others, &cat.shows_ends, &cat.shows_tabs});
  set("-e", "Same as -vE", {&cat.shows_others, &cat.shows_ends});
  set("-t", "Same as -vT", {&cat.shows_others, &cat.shows_tabs});
  set("-u", "Accepted as by cat(1); has no effect", {});
}

Manual cat_manual() {
  return {.paragraphs = {kPatternHelp},
          .examples = {{"dgfs cat tree.dgfs etc/passwd", "Prints one file."},
                       {"dgfs cat tree.dgfs 'etc/*.conf'", "Prints all files that match."},
                       {"dgfs cat tree.dgfs log/1 log/2 | grep error", "Searches two files."}},
          .exit_statuses = {{0, "Everything was printed."},
                            {1,
                             "A file is missing, damaged, or cannot be printed. Everything printed "
                             "before it is right."},
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
  CatOptions cat;
  add_cat_options(options, cat);
  image_options.add_to(options);
  options.manual(cat_manual());
  auto [operands, exit_code] = session.parse(options, arguments, 2, SIZE_MAX);
  if (exit_code) return *exit_code;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;

  int code = kExitDone;
  bool sound = true;
  Buffer chunk(kPrintPieceBytes);
  CatFilter filter(cat);
  operands.erase(operands.begin());
  for (const std::string& operand : expand_patterns(session, *image, operands, sound)) {
    if (session.should_stop()) break;
    const Status printed = print_contents(session, *image, operand, chunk,
                                          cat.changes_something() ? &filter : nullptr);
    if (printed) continue;
    session.complain(operand, printed.error().message());
    code = kExitFailed;
  }
  session.print(filter.end());
  return session.finish(sound ? code : kExitFailed);
}

}  // namespace dgfs::tools
