// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/du_options.h"

#include <algorithm>

#include "rules/path_list.h"
#include "tools/cli/text_input.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

Status set_threshold(const std::string& value, DuOptions& du) {
  const bool at_most = value.starts_with('-');
  DGFS_TRY(size, parse_size(at_most ? value.substr(1) : value));
  if (at_most) {
    du.most = size;
  } else {
    du.least = size;
  }
  return ok();
}

Status set_time(const std::string& word, DuOptions& du) {
  du.time = true;
  if (word == "mtime" || word == "modification") {
    du.time_member = &reader::Node::mtime;
  } else if (word == "atime" || word == "access" || word == "use") {
    du.time_member = &reader::Node::atime;
  } else if (word == "ctime" || word == "status") {
    du.time_member = &reader::Node::ctime;
  } else {
    return Error(ErrorKind::kInvalidArgument, 6068, "'" + word + "' is not mtime, atime or ctime");
  }
  return ok();
}

Status set_time_style(const std::string& name, DuOptions& du) {
  const bool for_ls = name == "locale" || name.starts_with("posix-");
  const auto style = for_ls ? std::nullopt : time_style(name);
  if (!style) {
    return Error(ErrorKind::kInvalidArgument, 6064,
                 "'" + name + "' is not full-iso, long-iso, iso or +FORMAT");
  }
  du.time_style = *style;
  if (name == "iso") du.time_style.recent = "%Y-%m-%d";  // ls has month and hour for recent times
  return ok();
}

/// Takes the default from TIME_STYLE, as far as its value means something to du.
void set_default_time_style(const storage::Env& env, DuOptions& du) {
  std::string name = env.variable("TIME_STYLE").value_or("");
  while (name.starts_with("posix-")) name.erase(0, 6);
  if (name.starts_with('+')) name.resize(std::min(name.find('\n'), name.size()));
  if (!set_time_style(name, du)) du.time_style = *time_style("long-iso");
}

void add_amounts(OptionParser& options, DuOptions& du) {
  const auto set = [&options](const std::string& names, const std::string& help, auto action) {
    options.on_flag(names, help, [action](const std::string&) -> Status {
      action();
      return ok();
    });
  };
  const auto set_unit = [&du](const BlockUnit& unit) { du.unit = unit; };
  set("-h,--human-readable", "Print sizes like 1.2K, 84M, 3G", [set_unit] {
    set_unit({1, "", SizeUnits::kBinary});
  });
  set("--si", "Like -h, in powers of 1000", [set_unit] { set_unit({1, "", SizeUnits::kDecimal}); });
  set("-k", "Print units of 1024 bytes (the default)", [set_unit] { set_unit({}); });
  set("-m", "Print units of 1048576 bytes", [set_unit] { set_unit({std::uint64_t{1} << 20, ""}); });
  options.on_value("-B,--block-size", "SIZE",
                   "Print units of SIZE bytes; if SIZE is only a letter, like M, print it as well",
                   [set_unit](const std::string& value) -> Status {
                     DGFS_TRY(unit, parse_block_unit(value));
                     set_unit(unit);
                     return ok();
                   });
  options.flag("--apparent-size", "Sum up file sizes, not the space taken", du.apparent);
  set("-b,--bytes", "Same as --apparent-size, in bytes", [&du, set_unit] {
    du.apparent = true;
    set_unit({1, ""});
  });
  options.flag("--inodes", "Count entries instead of bytes", du.inodes);
}

}  // namespace

void add_du_options(OptionParser& options, const Session& session, DuOptions& du) {
  du.unit = default_block_unit(session.env(), "DU_BLOCK_SIZE");
  set_default_time_style(session.env(), du);
  options.flag("-a,--all", "Show files, not only directories", du.all);
  options.flag("-s,--summarize", "Show only one sum for each PATH", du.summarize);
  options.flag("-c,--total", "Show a grand total", du.total);
  options.number("-d,--max-depth", "N", "Show nothing deeper than N levels", du.depth_max);
  options.flag("-S,--separate-dirs", "Leave subdirectories out of the sums", du.separate);
  options.flag("-l,--count-links", "Count a file once for each of its names", du.count_links);
  options.on_value("-t,--threshold", "SIZE",
                   "Show nothing smaller than SIZE; with a leading '-', nothing larger",
                   [&du](const std::string& value) { return set_threshold(value, du); });
  options.values("--exclude", "PATTERN", "Leave out what matches, and all below it", du.excluded);
  options.values("-X,--exclude-from", "FILE",
                 "The same for the patterns in FILE, one per line; - is the standard input",
                 du.exclusion_files);
  options.value("--files0-from", "FILE",
                "Sum up the paths in FILE, each ended by a NUL; - is the standard input",
                du.paths_file);
  options.on_optional_value("--time", "WORD", "mtime",
                            "Show the newest mtime below as well, or the newest atime or ctime",
                            [&du](const std::string& word) { return set_time(word, du); });
  options.choices("--time", {"mtime", "atime", "ctime"});
  options.on_value("--time-style", "STYLE", "full-iso, long-iso, iso, or +FORMAT of date",
                   [&du](const std::string& name) { return set_time_style(name, du); });
  options.choices("--time-style", {"full-iso", "long-iso", "iso"});
  const auto follow = [&](const std::string& names, const std::string& help, LinksFollowed which) {
    options.on_flag(names, help, [&du, which](const auto&) -> Status {
      du.links = which;
      return ok();
    });
  };
  follow("-P,--no-dereference", "Follow no links (the default)", LinksFollowed::kNone);
  follow("-D,--dereference-args", "Follow links given as a PATH", LinksFollowed::kOperands);
  follow("-H", "Same as -D", LinksFollowed::kOperands);
  follow("-L,--dereference", "Follow all links, within the image", LinksFollowed::kAll);
  options.on_flag("-x,--one-file-system", "Accepted as by du(1); an image is one file system",
                  [](const std::string&) -> Status { return ok(); });
  options.flag("-0,--null", "End lines with a NUL, not a newline", du.ends_with_nul);
  options.flag("--json", "Print JSON objects, one per line, sizes in bytes", du.json);
  add_amounts(options, du);
}

std::string complete_du_options(DuOptions& du, bool has_operands) {
  if (du.summarize && du.all) return "-s and -a cannot be combined";
  if (du.summarize && du.depth_max != 0 && du.depth_max != kAnyDepth) {
    return "-s and -d cannot be combined; -s is -d 0";
  }
  if (du.paths_file && has_operands) return "--files0-from and a PATH cannot be combined";
  if (du.summarize) du.depth_max = 0;
  return {};
}

Status read_exclusions(const ToolIo& io, DuOptions& du) {
  for (const std::string& file : du.exclusion_files) {
    DGFS_TRY(text, read_text(io, file));
    for (std::string_view line : rules::split_lines(text, '\n')) {
      // Like du, drops spaces at the end of a pattern.
      const std::size_t end = line.find_last_not_of(" \t\v\f\r");
      if (end != line.npos) du.excluded.emplace_back(line.substr(0, end + 1));
    }
  }
  return ok();
}

}  // namespace dgfs::tools
