// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs du: sums of sizes below directories, in the format of du(1).

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/json.h"
#include "format/entry/mode.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/cli/text_input.h"
#include "tools/command.h"
#include "tools/du_options.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/image_path.h"
#include "tools/paths/node_facts.h"
#include "tools/paths/operand_pattern.h"
#include "tools/paths/tree_walk.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"
#include "tools/text/wildcards.h"

namespace dgfs::tools {
namespace {

/// A sum over entries.
struct Sum {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
  Time newest{std::numeric_limits<std::int64_t>::min(), 0};

  void add(const Sum& other) {
    bytes += other.bytes;
    inodes += other.inodes;
    newest = std::max(newest, other.newest);
  }
};

class DuCommand {
 public:
  /// @param several  operands may overlap; every entry counts only once then
  DuCommand(const Session& session, const reader::Image& image, const DuOptions& options,
            bool several)
      : session_(session), image_(image), options_(options), several_(several) {}

  /// Returns whether everything could be read.
  bool add(const std::string& operand) {
    const bool follows = options_.links != LinksFollowed::kNone;
    Result<FoundNode> found = find_listed(image_, operand, Follow::kNo);
    if (found && follows) found = follow(operand, found.value());
    if (!found) {
      session_.complain_access("access", operand, found.error());
      return false;
    }
    levels_.assign(1, {});
    sound_ = !found.value().lost;
    if (!sound_) session_.complain_access("access", operand, *found.value().lost);
    const Status walked = walk_tree(image_, operand, found.value().node, visitor());
    if (!walked) session_.complain(operand, walked.error().message());
    total_.add(levels_[0].own);
    total_.add(levels_[0].below);
    return walked && sound_;
  }

  void print_total() { print("total", total_); }

 private:
  /// The sums of one directory: of itself and its direct entries, and of its subdirectories.
  struct Level {
    Sum own;
    Sum below;
  };

  /// levels_[d] collects what lies below the directory of depth d - 1 that is being visited.
  TreeVisitor visitor() {
    TreeVisitor visitor;
    visitor.enter = [this](std::string_view path, const reader::Node& node, std::size_t depth) {
      if (session_.should_stop()) return Step::kEnd;
      session_.passed();
      if (is_excluded(path)) return Step::kOver;
      const bool follows = options_.links == LinksFollowed::kAll ||
                           (options_.links == LinksFollowed::kOperands && depth == 0);
      if (follows && format::is_symlink(node.mode)) {
        cannot_access(path, ErrorKind::kNotFound);
        return Step::kOver;
      }
      levels_.resize(std::max(levels_.size(), depth + 2));
      // The contents of an object with several names take space only once.
      const bool met_again = several_ || options_.links == LinksFollowed::kAll ||
                             (!format::is_directory(node.mode) && node.link_count > 1);
      if (!options_.count_links && met_again && !counted_.insert(node.inode).second) {
        return Step::kOver;
      }
      if (format::is_directory(node.mode)) return Step::kInto;
      const Sum sum = sum_of(node);
      levels_[depth].own.add(sum);
      if (depth == 0 || (options_.all && depth <= options_.depth_max)) show(path, sum);
      return Step::kOver;
    };
    visitor.leave = [this](std::string_view path, const reader::Node& node, std::size_t depth) {
      Level level = std::exchange(levels_[depth + 1], {});
      level.own.add(sum_of(node));
      Sum all = level.own;
      all.add(level.below);
      levels_[depth].below.add(all);
      if (depth <= options_.depth_max) show(path, options_.separate ? level.own : all);
      return true;
    };
    visitor.damaged = [this](std::string_view path, const Error& error) {
      session_.complain_damage(path, error);
      sound_ = false;
    };
    visitor.takes_lost_directories = true;
    visitor.follows_links = options_.links == LinksFollowed::kAll;
    visitor.looped = [this](std::string_view path, const std::optional<std::string>& above) {
      // A directory above is counted at its own place.
      if (!above) cannot_access(path, ErrorKind::kLoop);
    };
    return visitor;
  }

  void cannot_access(std::string_view path, ErrorKind kind) {
    const bool loop = kind == ErrorKind::kLoop;
    session_.complain_access(
        "access", path,
        Error(kind, 6065,
              loop ? "Too many levels of symbolic links" : "No such file or directory"));
    sound_ = false;
  }

  Result<FoundNode> follow(const std::string& operand, const FoundNode& found) const {
    DGFS_TRY(node, followed(image_, operand, found.node));
    return FoundNode{found.path, std::move(node), found.lost};
  }

  /// A pattern matches the whole path, or the part behind any of its slashes.
  bool is_excluded(std::string_view path) const {
    for (const std::string& pattern : options_.excluded) {
      for (std::string_view tail = path;;) {
        if (fits_wildcards(pattern, std::string(tail))) return true;
        const std::size_t slash = tail.find('/');
        if (slash == tail.npos) break;
        tail.remove_prefix(slash + 1);
      }
    }
    return false;
  }

  Sum sum_of(const reader::Node& node) const {
    return {options_.apparent ? node.size_bytes : allocated_bytes(node), 1,
            node.*options_.time_member};
  }

  void show(std::string_view path, const Sum& sum) {
    const std::uint64_t value = options_.inodes ? sum.inodes : sum.bytes;
    if (value < options_.least || (options_.most && value > *options_.most)) return;
    print(path, sum);
  }

  std::string amount(const Sum& sum) const {
    const std::uint64_t value = options_.inodes ? sum.inodes : sum.bytes;
    const bool scaled = options_.unit.scale != SizeUnits::kNone;
    return options_.inodes && !scaled ? std::to_string(value) : text_in_units(value, options_.unit);
  }

  void print(std::string_view path, const Sum& sum) {
    if (options_.json) {
      JsonObject line;
      line.add("path", path).add("bytes", sum.bytes).add("inodes", sum.inodes);
      session_.print(line.line());
      return;
    }
    std::string text = amount(sum) + '\t';
    if (options_.time) {
      text += format_time(sum.newest, options_.time_style.recent) + '\t';
    }
    text += options_.ends_with_nul ? std::string(path) : session_.shown(path);
    session_.print(text + (options_.ends_with_nul ? '\0' : '\n'));
  }

  const Session& session_;
  const reader::Image& image_;
  const DuOptions& options_;
  bool several_;
  std::vector<Level> levels_;
  std::unordered_set<reader::InodeNumber> counted_;
  Sum total_;
  bool sound_ = true;
};

Manual du_manual() {
  return {
      .paragraphs = {"The entries of a directory are printed in the order of their names: "
                     "first those that are no directories, then the directories, each after what "
                     "is below it.",
                     "The environment variables DU_BLOCK_SIZE, BLOCK_SIZE, BLOCKSIZE, "
                     "POSIXLY_CORRECT and TIME_STYLE set what no option sets.",
                     kPatternHelp, kNamesHelp, kJsonHelp},
      .examples = {{"dgfs du -sh tree.dgfs lib share", "Sums up two directories."},
                   {"dgfs du -d 1 -h tree.dgfs", "Sums up each directory in the root."}},
      .see_also = {"dgfs-info(1)", "du(1)"}};
}

}  // namespace

int run_du(const ToolIo& io, const Arguments& arguments) {
  Session session(io, "du");
  session.show_progress("summing");
  OptionParser options({"dgfs du", "IMAGE [PATH]...",
                        "Sums up the space that files take, in units of 1024 bytes. Holes and "
                        "directories take none: directories live in the index."},
                       "--help");
  ImageOptions image_options;
  DuOptions du;
  image_options.add_to(options);
  add_du_options(options, session, du);
  options.manual(du_manual());
  auto [operands, exit_code] = session.parse(options, arguments, 1, SIZE_MAX);
  if (exit_code) return *exit_code;
  const std::string wrong = complete_du_options(du, operands.size() > 1);
  if (!wrong.empty()) return session.fail_usage(wrong);
  const Status read = read_exclusions(io, du);
  if (!read) return session.fail(read.error());
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;

  operands.erase(operands.begin());
  if (operands.empty()) operands.emplace_back(".");
  bool sound = true;
  operands = expand_patterns(session, *image, operands, sound);
  if (du.paths_file) {
    const Result<std::string> text = read_text(io, *du.paths_file);
    if (!text) return session.fail(text.error());
    operands = terminated_names(text.value());
  }
  DuCommand command(session, *image, du, operands.size() > 1 || du.paths_file);
  for (const std::string& operand : operands) {
    if (session.should_stop()) break;
    sound = command.add(operand) && sound;
  }
  if (du.total) command.print_total();
  return session.finish(sound ? kExitDone : kExitFailed);
}

}  // namespace dgfs::tools
