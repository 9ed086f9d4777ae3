// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs ls: lists directories, with the options and the output of ls(1).

#include <algorithm>

#include "base/json.h"
#include "format/entry/mode.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/ls/command_line.h"
#include "tools/ls/name_options.h"
#include "tools/ls/printer.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/image_path.h"
#include "tools/paths/operand_pattern.h"
#include "tools/text/quoting.h"
#include "tools/text/wildcards.h"

namespace dgfs::tools {
namespace {

/// As with ls: an operand could not be listed at all.
constexpr int kExitOperandFailed = 2;

class LsCommand {
 public:
  LsCommand(const Session& session, const reader::Image& image, const LsOptions& options)
      : session_(session), image_(image), options_(options), printer_(session, image, options) {}

  int run(const std::vector<std::string>& operands) {
    std::vector<LsEntry> files;
    std::vector<LsEntry> directories;
    for (const std::string& operand : operands) sort_operand(operand, files, directories);
    sort_entries(options_, files);
    sort_entries(options_, directories);
    printer_.print("", files, directories);
    const bool headers = operands.size() > 1 || options_.recursive;
    for (const LsEntry& directory : directories) list_tree(directory, headers);
    return printer_.failed() ? std::max(code_, kExitFailed) : code_;
  }

 private:
  void complain(const std::string& path, const Error& error) {
    session_.complain_damage(path, error);
    code_ = std::max(code_, kExitFailed);
  }

  void sort_operand(const std::string& operand, std::vector<LsEntry>& files,
                    std::vector<LsEntry>& directories) {
    Result<FoundNode> found = find_operand(operand);
    if (!found) {
      session_.complain_access("access", operand, found.error());
      code_ = kExitOperandFailed;
      return;
    }
    LsEntry entry{operand, std::move(found.value().node)};
    if (found.value().lost) {
      session_.complain_access("access", operand, *found.value().lost);
      code_ = std::max(code_, kExitFailed);
      entry.unknown = true;
    }
    add_target("", entry);
    const bool list = format::is_directory(entry.node.mode) && !options_.directory_itself;
    (list ? directories : files).push_back(std::move(entry));
  }

  /// Follows a link that is an operand if it leads to a directory whose entries are to be listed;
  /// otherwise returns the link itself.
  Result<FoundNode> find_operand(const std::string& operand) const {
    if (options_.links != LinksFollowed::kNone) return find_listed(image_, operand, Follow::kYes);
    const bool link_itself = !options_.follows_to_directories &&
                             (options_.format == LsFormat::kLong || options_.directory_itself ||
                              options_.indicator == LsIndicator::kClassify);
    Result<FoundNode> shown = find_listed(image_, operand, Follow::kNo);
    if (link_itself || !shown || !format::is_symlink(shown.value().node.mode)) return shown;
    Result<FoundNode> target = find_listed(image_, operand, Follow::kYes);
    if (!target && target.error().kind() != ErrorKind::kNotFound) return target;
    return target && format::is_directory(target.value().node.mode) ? std::move(target)
                                                                    : std::move(shown);
  }

  void add_target(const std::string& directory, LsEntry& entry) const {
    if (!format::is_symlink(entry.node.mode) || !printer_.needs_targets()) return;
    Result<FoundNode> found = find_node(image_, joined_path(directory, entry.name), Follow::kYes);
    if (found) entry.target = std::move(found.value().node);
  }

  struct Pending {
    std::string path;
    reader::Node node;
    std::size_t depth = 0;
  };

  /// Lists a directory and, with -R, those below it, each before its own subdirectories.
  void list_tree(const LsEntry& start, bool headers) {
    std::vector<Pending> pending = {{start.name, start.node, 0}};
    std::vector<reader::InodeNumber> above;  // ancestors of the directory being listed
    while (!pending.empty() && !session_.should_stop()) {
      const auto [path, node, depth] = std::move(pending.back());
      pending.pop_back();
      above.resize(depth);
      // Only a link that was followed leads back up.
      if (std::find(above.begin(), above.end(), node.inode) != above.end()) {
        session_.complain(path, "not listing already-listed directory");
        code_ = kExitOperandFailed;
        continue;
      }
      above.push_back(node.inode);
      std::vector<LsEntry> entries = entries_of(path, node);
      sort_entries(options_, entries);
      if (headers) printer_.print_header(path);
      printer_.print_total(entries);
      printer_.print(path, entries);
      if (!options_.recursive) continue;
      for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        const bool self = entry->name == "." || entry->name == "..";
        if (!format::is_directory(entry->node.mode) || self) continue;
        pending.push_back({joined_path(path, entry->name), std::move(entry->node), depth + 1});
      }
    }
  }

  std::vector<LsEntry> entries_of(const std::string& path, const reader::Node& directory) {
    std::vector<LsEntry> entries;
    if (options_.hidden == LsHidden::kShowWithDots) add_dots(path, directory, entries);
    const auto add = [&](const reader::ListedName& name, const reader::Node& node) {
      if (is_shown(std::string(name.name))) {
        entries.push_back({std::string(name.name), node});
        if (options_.links == LinksFollowed::kAll) follow(path, entries.back());
        add_target(path, entries.back());
      }
      return !session_.should_stop();
    };
    const auto lose = [&](const reader::LostNames& lost) {
      if (lost.name == nullptr) {
        complain(path, lost.error);
        for (const auto inode : lost.directories) note_lost(inode, entries);
      } else if (is_shown(std::string(lost.name->name))) {
        entries.push_back({std::string(lost.name->name), {}});
        complain_unknown(path, entries.back(), lost.name->mode, lost.error);
      }
      return !session_.should_stop();
    };
    const Status listed = image_.list_nodes(directory.inode, 0, add, lose);
    if (!listed && !session_.should_stop()) complain(path, listed.error());
    return entries;
  }

  /// Adds a directory whose entry is lost, if something below it still gives its name.
  void note_lost(reader::InodeNumber inode, std::vector<LsEntry>& entries) const {
    const Result<std::string> path = image_.path_of(inode);
    if (!path) return;
    LsEntry entry{std::string(storage::base_name(path.value())), {}};
    if (!is_shown(entry.name)) return;
    entry.node.inode = inode;
    entry.node.mode = format::kTypeDirectory;
    entry.unknown = true;
    entries.push_back(std::move(entry));
  }

  /// -L: replaces the entry by the target of its link.
  void follow(const std::string& directory, LsEntry& entry) {
    if (!format::is_symlink(entry.node.mode)) return;
    const std::string path = joined_path(directory, entry.name);
    Result<FoundNode> found = find_node(image_, path, Follow::kYes);
    if (found) {
      entry.node = std::move(found.value().node);
      return;
    }
    complain_unknown(directory, entry, format::kTypeSymlink, found.error());
  }

  /// Reduces the entry to its name and type, the only facts that are known.
  void complain_unknown(const std::string& directory, LsEntry& entry, std::uint32_t mode,
                        const Error& error) {
    entry.unknown = true;
    entry.node = {};
    entry.node.mode = format::type_of(mode);  // sorts as an entry without attributes
    if (!needs_attributes()) return;
    const std::string path = joined_path(directory, entry.name);
    const bool here = path.starts_with("./");  // ls leaves "./" out in messages about "."
    session_.complain_access("access", here ? path.substr(2) : path, error);
    code_ = std::max(code_, kExitFailed);
  }

  /// If only names are shown, link targets are not looked up, as by ls.
  [[nodiscard]] bool needs_attributes() const {
    const LsOptions& ls = options_;
    return ls.json || ls.format == LsFormat::kLong || ls.listing.blocks || ls.listing.inode ||
           ls.color || ls.hyperlinks || ls.recursive || ls.listing.context ||
           ls.directories_first || ls.indicator != LsIndicator::kNone || ls.sort == LsSort::kTime ||
           ls.sort == LsSort::kSize;
  }

  void add_dots(const std::string& path, const reader::Node& directory,
                std::vector<LsEntry>& entries) {
    if (is_shown(".")) entries.push_back({".", directory});
    if (!is_shown("..")) return;
    Result<reader::Node> parent = image_.lookup(directory.inode, "..");
    if (!parent) return complain(joined_path(path, ".."), parent.error());
    entries.push_back({"..", std::move(parent).value()});
  }

  bool is_shown(const std::string& name) const {
    const auto fits = [&](const std::string& pattern) { return fits_as_in_shell(pattern, name); };
    const bool all = options_.hidden != LsHidden::kSkip;
    if (!all && name.starts_with('.')) return false;
    const std::vector<std::string>& by_name = options_.hidden_by_name;
    if (!all && std::any_of(by_name.begin(), by_name.end(), fits)) return false;
    return std::none_of(options_.ignored.begin(), options_.ignored.end(), fits);
  }

  const Session& session_;
  const reader::Image& image_;
  const LsOptions& options_;
  LsPrinter printer_;
  int code_ = kExitDone;
};

Manual ls_manual() {
  return {.paragraphs = {"Options mean the same as in ls(1). Names are sorted by their bytes, "
                         "as ls does in the locale C.UTF-8. On a terminal, names that could fool "
                         "it are quoted, as by ls; a pipe gets them unchanged. Unless a quoting "
                         "style is asked for, a terminal does not get characters that reorder the "
                         "text around them, either.",
                         "--hyperlink makes links like file://HOST/tree.dgfs#/src/main.c, because "
                         "no file of the system has the path alone. Codes of digits and "
                         "semicolons in LS_COLORS are used; files with capabilities are colored if "
                         "it has ca.",
                         "The environment variables COLUMNS, LS_BLOCK_SIZE, BLOCK_SIZE, BLOCKSIZE, "
                         "POSIXLY_CORRECT, QUOTING_STYLE, TABSIZE and TIME_STYLE set what no "
                         "option sets. NO_COLOR turns colors on terminals off.",
                         kPatternHelp, kJsonHelp},
          .examples = {{"dgfs ls -lh tree.dgfs src", "Lists src with sizes like 1.2K."},
                       {"dgfs ls -l tree.dgfs 'src/*.c'", "Lists the files that match."},
                       {"dgfs ls -R --json tree.dgfs", "Prints one JSON object for each entry."}},
          .exit_statuses = {{0, "Everything was listed."},
                            {1, "Something could not be listed: the index is damaged there."},
                            {2, "A PATH is missing, or wrong usage."}},
          .see_also = {"dgfs-find(1)", "dgfs-stat(1)", "ls(1)"}};
}

}  // namespace

int run_ls(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "ls");
  OptionParser options(
      {"dgfs ls", "IMAGE [PATH]...", "Lists directories of an image, the root by default."},
      "--help");
  ImageOptions image_options;
  LsOptions ls;
  add_ls_options(options, session, ls);
  image_options.add_to(options);
  options.manual(ls_manual());
  auto [operands, exit_code] = session.parse(options, arguments, 1, SIZE_MAX);
  if (exit_code) return *exit_code;
  complete_ls_options(session, ls);
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;
  if (ls.hyperlinks) ls.link_base = link_base(operands[0]);
  operands.erase(operands.begin());
  ls.whole_image = operands.empty();
  if (ls.whole_image) operands.emplace_back(".");
  bool sound = true;
  operands = expand_patterns(session, *image, operands, sound);
  const int code = LsCommand(session, *image, ls).run(operands);
  return session.finish(sound ? code : std::max(code, kExitFailed));
}

}  // namespace dgfs::tools
