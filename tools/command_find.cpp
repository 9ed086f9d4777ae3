// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs find: searches an image by names and attributes, as find(1); reads no contents.
#include <algorithm>

#include "format/entry/mode.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/cli/text_input.h"
#include "tools/command.h"
#include "tools/find/parser.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/image_path.h"
#include "tools/paths/operand_pattern.h"
#include "tools/paths/tree_walk.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

constexpr char kExpressionHelp[] =
    "  -name -iname -path -ipath -wholename -lname -ilname PATTERN\n"
    "  -regex -iregex PATTERN   -regextype posix-extended, grep, sed ...\n"
    "  -type -xtype f,d,l,p,s,b,c   -empty   -size [+-]N[cwbkMG]\n"
    "  -mtime -ctime -atime [+-]DAYS   -mmin -cmin -amin [+-]MINUTES\n"
    "  -daystart   -newer -anewer -cnewer PATH   -newermt DATE   -newerXY\n"
    "  -perm [-/]MODE   -user -group NAME   -uid -gid -links -inum [+-]N\n"
    "  -nouser   -nogroup   -samefile PATH   -true   -false\n"
    "  -readable   -writable   -executable   -fstype TYPE\n"
    "  -maxdepth N   -mindepth N   -depth   -prune   -quit   -files0-from FILE\n"
    "  -print   -print0   -ls   -printf FORMAT\n";

class FindCommand {
 public:
  FindCommand(FindRun& run, const FindExpression& expression)
      : run_(run), expression_(expression) {}

  /// @param start  as the user wrote it
  void search(const std::string& start) {
    Result<FoundNode> found = find_listed(run_.image, start, Follow::kNo);
    if (!found) return run_.complain(start, found.error());
    if (run_.links != LinksFollowed::kNone && format::is_symlink(found.value().node.mode)) {
      Result<reader::Node> target = followed(run_.image, start, found.value().node);
      if (!target) return run_.complain(start, target.error());
      found.value().node = std::move(target).value();
    }
    search_below(start, found.value());
  }

  /// For a search without a path: paths are printed as they stand in the image.
  void search_all() {
    const Result<FoundNode> root = find_listed(run_.image, ".", Follow::kNo);
    if (!root) return run_.complain(".", root.error());
    search_below("", root.value());
  }

 private:
  void search_below(const std::string& start, const FoundNode& found) {
    start_ = start;
    // The plain walk reads each index page once, but cannot leave anything out.
    const bool everything = run_.links == LinksFollowed::kNone && !expression_.prunes &&
                            !expression_.depth_first &&
                            expression_.depth_max == std::numeric_limits<std::size_t>::max();
    const Status walked = everything ? walk_all(found) : walk_some(found);
    if (!walked) run_.complain(start.empty() ? "." : start, walked.error());
  }

  Status walk_all(const FoundNode& found) {
    const std::size_t skipped = found.path.empty() ? 0 : found.path.size() + 1;
    return run_.image.walk(
        found.path,
        [&](std::string_view path, const reader::Node& node) {
          if (path.size() <= found.path.size()) return visit(start_, 0, node) != Step::kEnd;
          const std::string_view below = path.substr(skipped);
          const auto slashes = std::count(below.begin(), below.end(), '/');
          return visit(joined_path(start_, below), static_cast<std::size_t>(slashes) + 1, node) !=
                 Step::kEnd;
        },
        [&](const Error& error) {
          run_.complain(start_.empty() ? "." : start_, error);
          return true;
        });
  }

  Status walk_some(const FoundNode& found) {
    TreeVisitor visitor;
    visitor.enter = [&](std::string_view path, const reader::Node& node, std::size_t depth) {
      const bool later = expression_.depth_first && format::is_directory(node.mode);
      if (later && depth < expression_.depth_max) return Step::kInto;
      return visit(path, depth, node);
    };
    if (expression_.depth_first) {
      visitor.leave = [&](std::string_view path, const reader::Node& node, std::size_t depth) {
        return visit(path, depth, node) != Step::kEnd;
      };
    }
    visitor.damaged = [&](std::string_view path, const Error& error) {
      run_.complain(path, error);
    };
    visitor.depth_max = expression_.depth_max;
    visitor.follows_links = run_.links == LinksFollowed::kAll;
    visitor.looped = [&](std::string_view path, const std::optional<std::string>& above) {
      run_.complain_loop(path, above);
    };
    if (found.lost) run_.complain(start_.empty() ? "." : start_, *found.lost);
    return walk_tree(run_.image, start_, found.node, visitor, found.lost.has_value());
  }

  Step visit(std::string_view path, std::size_t depth, const reader::Node& node) {
    if (run_.session.should_stop()) return Step::kEnd;
    run_.session.passed();
    run_.prune = false;
    if (depth >= expression_.depth_min && depth <= expression_.depth_max) {
      // Without a path operand, names are printed as they stand in the image.
      const std::string_view shown = path.empty() ? "." : path;
      expression_.test({shown, start_, depth, node});
    }
    if (run_.quit) return Step::kEnd;
    return run_.prune || depth >= expression_.depth_max ? Step::kOver : Step::kInto;
  }

  FindRun& run_;
  const FindExpression& expression_;
  std::string start_;
};

Manual find_manual() {
  return {
      .paragraphs = {"Without a PATH, the whole image is searched. Found paths are printed as they "
                     "stand in the image, or below PATH as it was written.",
                     "-readable, -writable and -executable decide as a mount would for the user "
                     "who runs the command: by owner, mode and access control list of the entry. "
                     "Files and directories are never writable. For -fstype and %F, an image is a "
                     "file system of the type fuse.dgfs, as when it is mounted. It has no device "
                     "number, so %D prints 0, and no birth times.",
                     kPatternHelp, kNamesHelp},
      .examples = {{"dgfs find tree.dgfs -name '*.S' -size +64k",
                    "Prints the assembler sources of more than 64 KiB."},
                   {"dgfs find tree.dgfs home -newer home/mark -type f -print0",
                    "Prints the files below home that changed after home/mark, for xargs -0."},
                   {"dgfs find tree.dgfs -perm -4000 -ls",
                    "Lists the set-user-id programs with their attributes."}},
      .see_also = {"find(1)"}};
}

}  // namespace

int run_find(const ToolIo& io, const Arguments& arguments) {
  Session session(io, "find");
  session.show_progress("searching");
  OptionParser options({"dgfs find", "IMAGE [PATH]... [EXPRESSION]",
                        "Searches an image by names and attributes, without reading contents."},
                       "--help");
  ImageOptions image_options;
  bool json = false;
  LinksFollowed links = LinksFollowed::kNone;
  image_options.add_to(options);
  options.flag("--json", "Print JSON objects, one per line, instead of paths", json);
  const auto follow = [&](const std::string& name, const std::string& help, LinksFollowed which) {
    options.on_flag(name, help, [&links, which](const auto&) -> Status {
      links = which;
      return ok();
    });
  };
  follow("-P", "Follow no links (the default)", LinksFollowed::kNone);
  follow("-H", "Follow links given as a PATH or in a test", LinksFollowed::kOperands);
  follow("-L", "Follow all links, within the image; one that leads nowhere stays a link",
         LinksFollowed::kAll);
  options.section(
      {"Expression",
       "as in find(1); the words may be joined by -a, -o, !, -not, ',' and parentheses:",
       kExpressionHelp});
  options.words(expression_words());
  options.manual(find_manual());
  const auto expression_begin = std::find_if(arguments.begin(), arguments.end(), begins_expression);
  auto [operands, exit_code] =
      session.parse(options, {arguments.begin(), expression_begin}, 1, SIZE_MAX);
  if (exit_code) return *exit_code;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;

  FindRun run{.session = session, .image = *image, .users = {}, .json = json, .links = links};
  const std::vector<std::string> words(expression_begin, arguments.end());
  const Result<FindExpression> expression = parse_find(words, run);
  if (!expression) {
    const Error& error = expression.error();
    if (error.kind() == ErrorKind::kInvalidArgument) return session.fail_usage(error.text());
    return session.fail(error);
  }
  operands.erase(operands.begin());
  bool sound = true;
  std::vector<std::string> starts = expand_patterns(session, *image, operands, sound);
  if (const auto& file = expression.value().starts_file) {
    if (!operands.empty()) return session.fail_usage("-files0-from and a PATH cannot be combined");
    const Result<std::string> text = read_text(io, *file);
    if (!text) return session.fail(text.error());
    starts = terminated_names(text.value());
  }
  FindCommand command(run, expression.value());
  if (operands.empty() && !expression.value().starts_file) command.search_all();
  for (const std::string& start : starts) {
    if (run.quit || session.should_stop()) break;
    command.search(start);
  }
  return session.finish(run.failed || !sound ? kExitFailed : kExitDone);
}

}  // namespace dgfs::tools
