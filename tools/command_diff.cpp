// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs diff: shows how two images, or an image and a directory, differ.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "format/entry/mode.h"
#include "reader/extract/paths.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/rule_options.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/diff/directory_tree.h"
#include "tools/diff/image_tree.h"
#include "tools/diff/state_tree.h"
#include "tools/diff/walk.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/operand_pattern.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

// The exit codes of diff(1).
constexpr int kExitSame = 0;
constexpr int kExitDiffers = 1;
constexpr int kExitTrouble = 2;

struct DiffArguments {
  std::string first;
  std::string second;
  ImageOptions first_image;
  std::optional<std::string> image;  ///< of the delta whose states are compared
  ImageOptions second_image;
  std::vector<std::string> paths;   ///< as the user wrote them, patterns too
  std::vector<std::string> listed;  ///< of --files-from
  rules::PathRules rules;
  DiffIgnore ignore;
  bool brief = false;
  bool json = false;
};

/// One side, and the image that its tree needs open (null for a directory).
struct OpenTree {
  std::unique_ptr<const reader::Image> image;
  std::unique_ptr<DiffTree> tree;
};

bool is_directory(const Session& session, const std::string& path) {
  const auto status = session.env().status(path);
  return status && format::is_directory(status.value().mode);
}

/// `tree` is null after a complaint.
OpenTree open_tree(const Session& session, const std::string& path, const ImageOptions& options) {
  if (is_directory(session, path)) {
    auto tree = make_directory_tree(session.env(), path);
    if (tree) return {nullptr, std::move(tree).value()};
    static_cast<void>(session.fail(tree.error()));
    return {};
  }
  auto image = open_image(session, path, options);
  if (!image) return {};
  auto tree = make_image_tree(*image);
  return {std::move(image), std::move(tree)};
}

/// The names of both sides together. Links are not followed, as in the whole comparison.
class BothTrees final : public PatternTree {
 public:
  BothTrees(DiffTree& first, DiffTree& second, DiffTree::Trouble trouble)
      : trees_{&first, &second}, trouble_(std::move(trouble)) {}

  bool has(const std::string& path) override {
    return find_in_any(path, [](const DiffEntry&) { return true; });
  }
  bool is_directory(const std::string& path) override {
    return find_in_any(path, [](const auto& found) { return format::is_directory(found.mode); });
  }
  void list(const std::string& path,
            const std::function<void(std::string_view name)>& name) override {
    std::set<std::string> names;
    for (DiffTree* tree : trees_) {
      const auto found = tree->find(clean(path));
      if (!found || !format::is_directory(found.value().mode)) continue;
      const auto entries = tree->list(clean(path), trouble_);
      if (!entries) continue;
      for (const auto& entry : entries.value()) names.insert(entry.name);
    }
    for (const auto& one : names) name(one);
  }

 private:
  static std::string clean(const std::string& path) {
    return reader::disjoint_paths({path}).front();
  }

  template <typename Test>
  bool find_in_any(const std::string& path, const Test& test) {
    return std::any_of(std::begin(trees_), std::end(trees_), [&](DiffTree* tree) {
      const auto found = tree->find(clean(path));
      return found && test(found.value());
    });
  }

  DiffTree* trees_[2];
  DiffTree::Trouble trouble_;
};

class Report {
 public:
  Report(const Session& session, const DiffArguments& arguments)
      : session_(session), arguments_(arguments), bar_(session.io(), false) {}

  void only_in(DiffSide side, const std::string& path, const DiffEntry& entry) {
    differs_ = true;
    bar_.clear();
    const bool in_first = side == DiffSide::kFirst;
    if (arguments_.json) {
      JsonObject line;
      line.add("path", path)
          .add("only_in", in_first ? "first" : "second")
          .add("type", type_word(entry.mode));
      return session_.print(line.line());
    }
    const auto& tree = in_first ? arguments_.first : arguments_.second;
    session_.print(fmt::format("only in {}: {}\n", shell_quoted(tree), shown(path)));
  }

  void differs(const std::string& path, const std::vector<Difference>& found) {
    differs_ = true;
    bar_.clear();
    if (arguments_.json) return session_.print(json_line(path, found));
    if (arguments_.brief) return session_.print(shown(path) + " differs\n");
    std::string text;
    for (const auto& difference : found) text += (text.empty() ? "" : ", ") + text_of(difference);
    session_.print(fmt::format("{}: {}\n", shown(path), text));
  }

  void trouble(const std::string& path, const Error& error) {
    trouble_ = true;
    bar_.clear();
    session_.complain_damage(path.empty() ? "/" : path, error);
  }

  void compared() { bar_.update("comparing", ++compared_, 0); }

  int finish() {
    bar_.clear();
    if (session_.io().stop) {
      session_.complain("interrupted");
      return kExitInterrupted;
    }
    // Status 1 would claim that the whole report was printed.
    session_.io().out.flush();
    trouble_ |= session_.io().out.failure() != 0;
    return trouble_ ? kExitTrouble : differs_ ? kExitDiffers : kExitSame;
  }

 private:
  static std::string shown(const std::string& path) {
    return path.empty() ? "/" : shell_quoted(path);
  }

  static std::string json_line(const std::string& path, const std::vector<Difference>& found) {
    JsonObject differences;
    for (const auto& difference : found) {
      if (difference.what == "contents") {
        differences.add_raw(difference.what,
                            JsonObject().add_raw("from_byte", difference.first_json).text());
        continue;
      }
      differences.add_raw(difference.what,
                          fmt::format("[{},{}]", difference.first_json, difference.second_json));
    }
    return JsonObject().add("path", path).add("differs", differences).line();
  }

  const Session& session_;
  const DiffArguments& arguments_;
  ProgressBar bar_;
  std::uint64_t compared_ = 0;
  bool differs_ = false;
  bool trouble_ = false;
};

void add_options(OptionParser& options, DiffArguments& arguments) {
  options.value("--index-a", "FILE", "Use this index of A instead of A.idx",
                arguments.first_image.index_path);
  options.value("--index-b", "FILE", "Use this index of B instead of B.idx",
                arguments.second_image.index_path);
  options.on_value("--volume", "FILE", "Path of a further volume of A or B (can be repeated)",
                   [&](const std::string& path) {
                     // Each image picks its own volumes.
                     arguments.first_image.volume_paths.push_back(path);
                     arguments.second_image.volume_paths.push_back(path);
                     arguments.first_image.volumes_of_others = true;
                     arguments.second_image.volumes_of_others = true;
                     return ok();
                   });
  options.flag("-q,--brief", "Show only which paths differ, not how", arguments.brief);
  options.flag("--no-times", "Ignore modification times", arguments.ignore.times);
  options.flag("--no-owner", "Ignore owners and groups", arguments.ignore.owner);
  options.flag("--no-mode", "Ignore permissions", arguments.ignore.mode);
  options.flag("--no-xattrs", "Ignore extended attributes and ACLs", arguments.ignore.xattrs);
  options.flag("--no-contents", "Compare sizes only, read no files", arguments.ignore.contents);
  options.value("--image", "IMAGE", "The image of the delta, for D@STATE", arguments.image);
  options.flag("--json", "Print JSON objects, one per line", arguments.json);
}

Manual diff_manual() {
  return {.paragraphs = {"The comparison covers types, permissions, owners, modification times, "
                         "sizes, contents, targets of symbolic links, extended attributes with "
                         "ACLs, device numbers, and which names are links to the same file. Holes "
                         "compare as the zeros that they read as. Contents are compared byte by "
                         "byte; where both files have a hole, nothing is read.",
                         "If a PATH contains *, ? or [...] and neither side has such a name, it "
                         "stands for all paths that match on either side, as in a shell. Quote it, "
                         "so that the shell does not expand it. Hidden names match only a pattern "
                         "that begins with a dot. Links are not followed.",
                         "D@A is the state A of the delta D, as 'dgfs delta log' lists it; 'base' "
                         "is the image alone, and 'newest' what a mount shows, which needs the "
                         "delta not to be mounted. Only what the layers between two states have "
                         "changed is read, so this takes as long as the changes are many.",
                         "With --json, each difference is a pair, the first side first: uid, "
                         "gid and size as numbers, the mode as in find --json, link targets and "
                         "values of extended attributes byte for byte, and null for a side "
                         "without a value.",
                         kJsonHelp},
          .examples = {{"dgfs diff old.dgfs new.dgfs", "Shows what changed between two builds."},
                       {"dgfs diff crawl.delta@nightly-01 crawl.delta@nightly-02",
                        "Shows what changed between two states of a delta."},
                       {"dgfs diff -q --no-owner tree.dgfs /srv/tree usr/share",
                        "Shows what differs below one directory, except for owners."}},
          .exit_statuses = {{0, "No difference."},
                            {1, "Something differs."},
                            {2, "Wrong usage, or something could not be read."},
                            {130, "Interrupted."}},
          .see_also = {"dgfs-verify(1)", "diff(1)"}};
}

/// Returns where the comparison begins, each place once.
std::vector<std::string> paths_of(const DiffArguments& arguments, DiffTree& first, DiffTree& second,
                                  DiffTree::Trouble trouble) {
  BothTrees both(first, second, std::move(trouble));
  auto paths = expand_patterns(both, arguments.paths);
  paths.insert(paths.end(), arguments.listed.begin(), arguments.listed.end());
  return reader::disjoint_paths(paths);
}

int compare_trees(const Session& session, const DiffArguments& arguments, DiffTree& first,
                  DiffTree& second, DiffScope scope) {
  if (std::count(arguments.paths.begin(), arguments.paths.end(), "") != 0) {
    session.complain("", "No such file or directory");
    return kExitTrouble;
  }
  Report report(session, arguments);
  DiffWalk walk(
      first, second, {arguments.ignore, arguments.rules, session.io().stop, std::move(scope)},
      {.only_in = [&](auto side, const auto& path,
                      const auto& entry) { report.only_in(side, path, entry); },
       .differs = [&](const auto& path, const auto& found) { report.differs(path, found); },
       .trouble = [&](const auto& path, const auto& error) { report.trouble(path, error); },
       .compared = [&] { report.compared(); }});
  const auto trouble = [&](const auto& path, const auto& error) { report.trouble(path, error); };
  for (const auto& path : paths_of(arguments, first, second, trouble)) walk.run(path);
  return report.finish();
}

int compare(const Session& session, const DiffArguments& arguments) {
  const auto first = open_tree(session, arguments.first, arguments.first_image);
  if (!first.tree) return kExitTrouble;
  const auto second = open_tree(session, arguments.second, arguments.second_image);
  if (!second.tree) return kExitTrouble;
  warn_of_volumes(session, arguments.first_image.volume_paths,
                  {first.image.get(), second.image.get()});
  return compare_trees(session, arguments, *first.tree, *second.tree, {});
}

bool is_same_directory(const Session& session, const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto first = session.env().status(one);
  const auto second = session.env().status(other);
  return first && second && first.value().device == second.value().device &&
         first.value().inode == second.value().inode;
}

// Two states of one delta differ only where the layers between them have records.
int compare_states(const Session& session, const DiffArguments& arguments,
                   const StateArgument& first_state, const StateArgument& second_state) {
  const auto first = open_state(session, first_state, arguments.image);
  if (!first) return std::max(session.fail(first.error()), kExitTrouble);
  const auto second = open_state(session, second_state, arguments.image);
  if (!second) return std::max(session.fail(second.error()), kExitTrouble);
  const auto changes = changes_between(first.value(), second.value());
  if (!changes) return std::max(session.fail(changes.error()), kExitTrouble);
  DiffScope scope;
  if (changes.value()) {
    scope = [&](std::uint64_t inode) { return changes.value()->names_in(inode); };
  }
  return compare_trees(session, arguments, *first.value().tree, *second.value().tree,
                       std::move(scope));
}

}  // namespace

int run_diff(const ToolIo& io, const Arguments& words) {
  const Session session(io, "diff");
  OptionParser options(
      {"dgfs diff", "A B [PATH]...",
       "Shows how two images, an image and a directory, or two states of a delta (D@A and D@B) "
       "differ: everywhere, or only at and below the given paths."});
  DiffArguments arguments;
  RuleOptions rule_options;
  add_options(options, arguments);
  rule_options.add_to(options);
  options.manual(diff_manual());
  auto [operands, exit_code] = session.parse(options, words, 2, SIZE_MAX);
  if (exit_code) return *exit_code;
  const auto first_state = state_argument(session, operands[0]);
  const auto second_state = state_argument(session, operands[1]);
  if (first_state.has_value() != second_state.has_value()) {
    return session.fail_usage("a state of a delta is compared with another state of it");
  }
  if (first_state && !is_same_directory(session, first_state->directory, second_state->directory)) {
    return session.fail_usage("states of two deltas are not compared");
  }
  if (!first_state && arguments.image) {
    return session.fail_usage("--image is for states of a delta: D@A D@B");
  }
  const bool first_is_directory = is_directory(session, operands[0]);
  const bool second_is_directory = is_directory(session, operands[1]);
  if (first_is_directory && second_is_directory) {
    return session.fail_usage("both are directories; compare those with 'diff -r'");
  }
  if (first_is_directory && arguments.first_image.index_path) {
    return session.fail_usage("--index-a: " + shell_quoted(operands[0]) + " is a directory");
  }
  if (second_is_directory && arguments.second_image.index_path) {
    return session.fail_usage("--index-b: " + shell_quoted(operands[1]) + " is a directory");
  }
  auto choice = rule_options.read(io);
  if (!choice) return std::max(session.fail(choice.error()), kExitTrouble);
  arguments.first = operands[0];
  arguments.second = operands[1];
  arguments.rules = std::move(choice.value().rules);
  arguments.paths.assign(operands.begin() + 2, operands.end());
  arguments.listed = std::move(choice.value().paths);
  return first_state ? compare_states(session, arguments, *first_state, *second_state)
                     : compare(session, arguments);
}

}  // namespace dgfs::tools
