// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs ls: directory listings, with the options and the looks of ls(1).
#include <fmt/format.h>

#include <algorithm>

#include "format/mode.h"
#include "format/superblock.h"
#include "tools/color.h"
#include "tools/columns.h"
#include "tools/command.h"
#include "tools/image_argument.h"
#include "tools/image_path.h"
#include "tools/long_listing.h"
#include "tools/node_facts.h"
#include "tools/quoting.h"
#include "tools/size_text.h"
#include "tools/tree_walk.h"

namespace dgfs::tools {
namespace {

enum class SortBy : std::uint8_t { kName, kTime, kSize };

struct LsOptions {
  bool long_format = false;
  bool all = false;         ///< hidden names, "." and ".."
  bool almost_all = false;  ///< hidden names
  bool recursive = false;
  bool one_per_line = false;
  bool directory_itself = false;
  bool reverse = false;
  bool classify = false;
  bool json = false;
  bool color = false;
  SortBy sort = SortBy::kName;
  LongListingOptions listing;
};

struct LsEntry {
  std::string name;
  std::string path;  ///< as the user would write it
  reader::Node node;
};

class LsCommand {
 public:
  LsCommand(const Session& session, const reader::Image& image, const LsOptions& options)
      : session_(session),
        image_(image),
        options_(options),
        colors_(session.env().variable("LS_COLORS").value_or("")),
        has_acls_((image.superblock().compat & format::feature::kCompatAcls) != 0) {}

  int run(const std::vector<std::string>& operands) {
    std::vector<LsEntry> files;
    std::vector<LsEntry> directories;
    for (const std::string& operand : operands) sort_operand(operand, files, directories);
    order(files);
    order(directories);
    print_entries(files);
    const bool headers = operands.size() > 1 || options_.recursive;
    for (const LsEntry& directory : directories) list_tree(directory, headers);
    return code_;
  }

 private:
  void complain(std::string_view path, const Error& error) {
    session_.complain(path, error.message());
    code_ = kExitFailed;
  }

  void sort_operand(const std::string& operand, std::vector<LsEntry>& files,
                    std::vector<LsEntry>& directories) {
    const bool link_itself = options_.long_format || options_.directory_itself || options_.classify;
    Result<FoundNode> found = find_node(image_, operand, link_itself ? Follow::kNo : Follow::kYes);
    if (!found && !link_itself) found = find_node(image_, operand, Follow::kNo);
    if (!found) return complain(operand, found.error());
    LsEntry entry{operand, operand, std::move(found.value().node)};
    const bool list = format::is_directory(entry.node.mode) && !options_.directory_itself;
    (list ? directories : files).push_back(std::move(entry));
  }

  void order(std::vector<LsEntry>& entries) const {
    std::stable_sort(entries.begin(), entries.end(), [&](const LsEntry& a, const LsEntry& b) {
      const reader::Node& x = a.node;
      const reader::Node& y = b.node;
      if (options_.sort == SortBy::kTime && x.mtime != y.mtime) return x.mtime > y.mtime;
      if (options_.sort == SortBy::kSize && x.size_bytes != y.size_bytes) {
        return x.size_bytes > y.size_bytes;
      }
      return a.name < b.name;
    });
    if (options_.reverse) std::reverse(entries.begin(), entries.end());
  }

  /// Lists a directory and, with -R, those below it, each before its own subdirectories.
  void list_tree(const LsEntry& start, bool headers) {
    std::vector<LsEntry> pending = {start};
    while (!pending.empty() && !session_.should_stop()) {
      const LsEntry directory = std::move(pending.back());
      pending.pop_back();
      std::vector<LsEntry> entries = entries_of(directory);
      order(entries);
      print_header(directory, headers);
      if (options_.long_format && !options_.json) print_total(entries);
      print_entries(entries);
      if (!options_.recursive) continue;
      for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        const bool self = entry->name == "." || entry->name == "..";
        if (format::is_directory(entry->node.mode) && !self) pending.push_back(std::move(*entry));
      }
    }
  }

  std::vector<LsEntry> entries_of(const LsEntry& directory) {
    std::vector<LsEntry> entries;
    if (options_.all) add_dots(directory, entries);
    const Status listed = image_.list_nodes(
        directory.node.inode, 0, [&](const reader::ListedName& name, const reader::Node& node) {
          if (name.name.starts_with('.') && !options_.all && !options_.almost_all) return true;
          entries.push_back({std::string(name.name), joined_path(directory.path, name.name), node});
          return !session_.should_stop();
        });
    if (!listed) complain(directory.path, listed.error());
    return entries;
  }

  void add_dots(const LsEntry& directory, std::vector<LsEntry>& entries) {
    entries.push_back({".", joined_path(directory.path, "."), directory.node});
    Result<reader::Node> parent = image_.lookup(directory.node.inode, "..");
    if (!parent) return complain(joined_path(directory.path, ".."), parent.error());
    entries.push_back({"..", joined_path(directory.path, ".."), std::move(parent).value()});
  }

  void print_header(const LsEntry& directory, bool headers) {
    if (options_.json) return;
    if (headers) {
      session_.print(fmt::format("{}{}:\n", printed_ ? "\n" : "", shown(directory.path)));
    }
    printed_ = true;
  }

  void print_total(const std::vector<LsEntry>& entries) const {
    std::uint64_t bytes = 0;
    for (const LsEntry& entry : entries) bytes += allocated_bytes(entry.node);
    session_.print(fmt::format("total {}\n", options_.listing.human
                                                 ? human_size(bytes)
                                                 : std::to_string((bytes + 1023) / 1024)));
  }

  void print_entries(const std::vector<LsEntry>& entries) {
    if (options_.json) return print_json(entries);
    if (entries.empty()) return;
    printed_ = true;
    align_quotes_ = false;
    const bool columns = !options_.one_per_line && session_.io().out_is_terminal;
    if (session_.io().out_is_terminal && (options_.long_format || columns)) {
      align_quotes_ = std::any_of(entries.begin(), entries.end(), [](const LsEntry& entry) {
        return shell_quoted(entry.name) != entry.name;
      });
    }
    if (options_.long_format) return print_long(entries);
    std::vector<Cell> cells;
    for (const LsEntry& entry : entries) cells.push_back(cell_of(entry));
    if (columns) return session_.print(in_columns(cells, session_.io().width_columns));
    for (const Cell& cell : cells) session_.print(cell.text + "\n");
  }

  void print_json(const std::vector<LsEntry>& entries) const {
    for (const LsEntry& entry : entries) {
      session_.print(node_json(image_, entry.path, entry.node).line());
    }
  }

  void print_long(const std::vector<LsEntry>& entries) {
    std::vector<LongRow> rows;
    for (const LsEntry& entry : entries) {
      rows.push_back({entry.node, has_acl(entry.node), long_name(entry)});
    }
    session_.print(long_listing(rows, options_.listing, users_));
  }

  bool has_acl(const reader::Node& node) const {
    if (!has_acls_ || !node.xattrs.present()) return false;
    const Result<std::vector<Xattr>> xattrs = image_.xattrs(node);
    return xattrs && std::any_of(xattrs.value().begin(), xattrs.value().end(), [](const Xattr& x) {
             return x.name.starts_with("system.posix_acl_");
           });
  }

  /// What a terminal gets to see of a name; other outputs get its bytes.
  std::string shown(std::string_view name) const {
    return session_.io().out_is_terminal ? shell_quoted(name) : std::string(name);
  }

  /// Unquoted names are indented by a quote's width where others are quoted.
  std::string quote_indent(const std::string& name_shown, const LsEntry& entry) const {
    return align_quotes_ && name_shown == entry.name ? " " : "";
  }

  std::string colored(const std::string& text, const LsEntry& entry) const {
    if (!options_.color) return text;
    const bool dangling =
        format::is_symlink(entry.node.mode) && !find_node(image_, entry.path, Follow::kYes);
    return colors_.colored(text, entry.name, entry.node, dangling);
  }

  std::string indicator(const reader::Node& node) const {
    if (!options_.classify) return "";
    switch (format::type_of(node.mode)) {
      case format::kTypeDirectory:
        return "/";
      case format::kTypeSymlink:
        return options_.long_format ? "" : "@";
      case format::kTypeFifo:
        return "|";
      case format::kTypeSocket:
        return "=";
      case format::kTypeRegular:
        return (node.mode & 0111) != 0 ? "*" : "";
      default:
        return "";
    }
  }

  std::string long_name(const LsEntry& entry) {
    const std::string name = shown(entry.name);
    std::string out = quote_indent(name, entry) + colored(name, entry) + indicator(entry.node);
    if (!format::is_symlink(entry.node.mode)) return out;
    const Result<std::string> target = image_.read_link(entry.node);
    if (!target) {
      complain(entry.path, target.error());
      return out;
    }
    return out + " -> " + shown(target.value());
  }

  Cell cell_of(const LsEntry& entry) const {
    const std::string name = shown(entry.name);
    std::string before = quote_indent(name, entry);
    if (options_.listing.inode) before = std::to_string(entry.node.inode) + " " + before;
    const std::string after = indicator(entry.node);
    const std::size_t width = before.size() + display_width(name) + after.size();
    return {before + colored(name, entry) + after, width};
  }

  const Session& session_;
  const reader::Image& image_;
  const LsOptions& options_;
  NameColors colors_;
  bool has_acls_;
  UserNames users_;
  bool printed_ = false;       // something stands above: a blank line parts listings
  bool align_quotes_ = false;  // some name of this listing is quoted
  int code_ = kExitDone;
};

Status set_color(const Session& session, const std::string& when, bool& color) {
  if (when != "always" && when != "auto" && when != "never") {
    return Error(ErrorKind::kInvalidArgument, 6060, "'" + when + "' is not always, auto or never");
  }
  color = when == "always" || (when == "auto" && session.io().out_is_terminal);
  return ok();
}

void add_options(OptionParser& options, const Session& session, LsOptions& ls) {
  options.flag("-l", "Long format: mode, links, owner, size, time", ls.long_format);
  options.flag("-a,--all", "Show names that begin with '.', too", ls.all);
  options.flag("-A,--almost-all", "The same, without . and ..", ls.almost_all);
  options.flag("-h,--human-readable", "Print sizes like 1.2K, 84M, 3G", ls.listing.human);
  options.flag("-R,--recursive", "List what is below, too", ls.recursive);
  options.flag("-1", "One name a line", ls.one_per_line);
  options.flag("-d,--directory", "List directories themselves", ls.directory_itself);
  options.flag("-i,--inode", "Print inode numbers", ls.listing.inode);
  options.on_flag("-n,--numeric-uid-gid", "As -l, with ids instead of names",
                  [&](const auto&) -> Status {
                    ls.long_format = ls.listing.numeric = true;
                    return ok();
                  });
  const auto sort_by = [&](SortBy key) {
    return [&ls, key](const std::string&) -> Status {
      ls.sort = key;
      return ok();
    };
  };
  options.on_flag("-t", "Sort by time, newest first", sort_by(SortBy::kTime));
  options.on_flag("-S", "Sort by size, largest first", sort_by(SortBy::kSize));
  options.flag("-r,--reverse", "Sort the other way round", ls.reverse);
  options.flag("-F,--classify", "Append / * @ | = to names by type", ls.classify);
  options.on_optional_value(
      "--color", "WHEN", "always", "Color names: always, auto or never",
      [&](const std::string& when) { return set_color(session, when, ls.color); });
  options.choices("--color", {"always", "auto", "never"});
  const auto set_style = [&](const std::string& name) -> Status {
    const std::optional<TimeStyle> style = time_style(name);
    if (!style) {
      return Error(ErrorKind::kInvalidArgument, 6061,
                   "'" + name + "' is not full-iso, long-iso, iso, locale or +FORMAT");
    }
    ls.listing.time_style = *style;
    return ok();
  };
  options.on_value("--time-style", "STYLE", "full-iso, long-iso, iso, locale, or +FORMAT of date",
                   set_style);
  options.choices("--time-style", {"full-iso", "long-iso", "iso", "locale"});
  options.on_flag("--full-time", "As -l --time-style=full-iso", [&, set_style](const auto&) {
    ls.long_format = true;
    return set_style("full-iso");
  });
  options.flag("--json", "Print JSON objects, one a line", ls.json);
}

Manual manual() {
  return {.paragraphs = {"Options mean what they mean in ls(1). Names that could fool a terminal "
                         "are quoted there, as ls does; a pipe gets them as they are."},
          .examples = {{"dgfs ls -lh tree.dgfs src", "Lists src with sizes like 1.2K."},
                       {"dgfs ls -R --json tree.dgfs", "Prints one JSON object for each entry."}},
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
  ls.listing.now = io.env.now();
  ls.listing.time_style = *time_style("locale");
  ls.color = io.out_is_terminal && !io.env.variable("NO_COLOR");
  add_options(options, session, ls);
  image_options.add_to(options);
  options.manual(manual());
  auto [operands, exit_code] = session.parse(options, arguments, 1, SIZE_MAX);
  if (exit_code) return *exit_code;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;
  operands.erase(operands.begin());
  if (operands.empty()) operands.emplace_back(".");
  return LsCommand(session, *image, ls).run(operands);
}

}  // namespace dgfs::tools
