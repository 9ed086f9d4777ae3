// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls/command_line.h"

#include <algorithm>
#include <utility>

#include "tools/ls/name_options.h"
#include "tools/ls/option_words.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

const Words<LsFormat>& format_words() {
  static const Words<LsFormat> kWords = {{"long", LsFormat::kLong},
                                         {"verbose", LsFormat::kLong},
                                         {"commas", LsFormat::kCommas},
                                         {"horizontal", LsFormat::kRows},
                                         {"across", LsFormat::kRows},
                                         {"vertical", LsFormat::kColumns},
                                         {"single-column", LsFormat::kOnePerLine}};
  return kWords;
}
const Words<LsSort>& sort_words() {
  static const Words<LsSort> kWords = {
      {"none", LsSort::kNone},           {"time", LsSort::kTime},       {"size", LsSort::kSize},
      {"extension", LsSort::kExtension}, {"version", LsSort::kVersion}, {"name", LsSort::kName},
      {"width", LsSort::kWidth}};
  return kWords;
}
using ShownTime = Time reader::Node::*;
const Words<ShownTime>& time_words() {
  static const Words<ShownTime> kWords = {{"mtime", &reader::Node::mtime},
                                          {"modification", &reader::Node::mtime},
                                          {"ctime", &reader::Node::ctime},
                                          {"status", &reader::Node::ctime},
                                          {"atime", &reader::Node::atime},
                                          {"access", &reader::Node::atime},
                                          {"use", &reader::Node::atime},
                                          {"birth", nullptr},
                                          {"creation", nullptr}};
  return kWords;
}

void set_format(LsOptions& ls, LsFormat format) {
  // As in ls, -1 does not override -l.
  if (format == LsFormat::kOnePerLine && ls.format_asked == LsFormat::kLong) return;
  ls.format_asked = format;
}

void set_time(LsOptions& ls, ShownTime member) {
  ls.listing.time = member;
  ls.time_asked = true;
}

void add_formats(OptionParser& options, LsOptions& ls) {
  on(options, "-l", "Long format: mode, links, owner, size, time",
     [&ls] { set_format(ls, LsFormat::kLong); });
  on(options, "-1", "Print one name per line", [&ls] { set_format(ls, LsFormat::kOnePerLine); });
  on(options, "-C", "Print in columns, as on a terminal",
     [&ls] { set_format(ls, LsFormat::kColumns); });
  on(options, "-x", "Print in columns, but sorted along the lines",
     [&ls] { set_format(ls, LsFormat::kRows); });
  on(options, "-m", "Print names in lines, separated by commas",
     [&ls] { set_format(ls, LsFormat::kCommas); });
  word(options, "--format", "long, single-column, vertical, across, commas", format_words(),
       [&ls](LsFormat format) { ls.format_asked = format; });
  on(options, "-n,--numeric-uid-gid", "Like -l, with ids instead of names", [&ls] {
    set_format(ls, LsFormat::kLong);
    ls.listing.numeric = true;
  });
  on(options, "-g", "Like -l, without owner", [&ls] {
    set_format(ls, LsFormat::kLong);
    ls.listing.owner = false;
  });
  on(options, "-o", "Like -l, without group", [&ls] {
    set_format(ls, LsFormat::kLong);
    ls.listing.group = false;
  });
  on(options, "-G,--no-group", "In the long format, leave out the group",
     [&ls] { ls.listing.group = false; });
  options.flag("--author", "In the long format, also print the owner as author", ls.listing.author);
  options.number("-w,--width", "COLUMNS", "Width of the output; 0: no limit", ls.width_columns);
  options.number("-T,--tabsize", "COLUMNS", "Distance of tab stops between columns; 0: use spaces",
                 ls.tab_columns);
  on(options, "--zero", "End lines with a NUL; print names unchanged, one per line", [&ls] {
    ls.ends_with_nul = true;
    ls.color = false;
    set_format(ls, LsFormat::kOnePerLine);
    ls.quoting_asked = QuotingStyle::kLiteral;
    ls.hides_controls_asked = false;
  });
  options.flag("--json", "Print JSON objects, one per line", ls.json);
}

void add_selection(OptionParser& options, LsOptions& ls) {
  on(options, "-a,--all", "Show names that begin with '.' too",
     [&ls] { ls.hidden = LsHidden::kShowWithDots; });
  on(options, "-A,--almost-all", "Like -a, without . and ..",
     [&ls] { ls.hidden = LsHidden::kShow; });
  on(options, "-B,--ignore-backups", "Leave out names that end in '~'", [&ls] {
    ls.ignored.insert(ls.ignored.end(), {"*~", ".*~"});
  });
  options.values("-I,--ignore", "PATTERN", "Leave out names that match", ls.ignored);
  options.values("--hide", "PATTERN", "Like -I, unless -a or -A is given", ls.hidden_by_name);
  on(options, "-H,--dereference-command-line", "Follow links given as a PATH",
     [&ls] { ls.links = LinksFollowed::kOperands; });
  options.flag("--dereference-command-line-symlink-to-dir",
               "Follow links given as a PATH that lead to directories", ls.follows_to_directories);
  on(options, "-L,--dereference", "Follow all links, within the image",
     [&ls] { ls.links = LinksFollowed::kAll; });
  options.flag("-R,--recursive", "List subdirectories too", ls.recursive);
  options.flag("-d,--directory", "List directories themselves, not their contents",
               ls.directory_itself);
}

void add_sorting(OptionParser& options, LsOptions& ls) {
  const auto sort_by = [&ls](LsSort key) { return [&ls, key] { ls.sort_asked = key; }; };
  on(options, "-t", "Sort by time, newest first", sort_by(LsSort::kTime));
  on(options, "-S", "Sort by size, largest first", sort_by(LsSort::kSize));
  on(options, "-X", "Sort by the text after the last '.'", sort_by(LsSort::kExtension));
  on(options, "-v", "Sort by the numbers in names", sort_by(LsSort::kVersion));
  on(options, "-U", "Do not sort; an image has names in the order of their bytes",
     sort_by(LsSort::kNone));
  word(options, "--sort", "name, none, size, time, version, extension, width", sort_words(),
       [&ls](LsSort key) { ls.sort_asked = key; });
  on(options, "-f", "Like -aU, without -l, -s and colors", [&ls] {
    ls.hidden = LsHidden::kShowWithDots;
    ls.sort_asked = LsSort::kNone;
    if (ls.format_asked == LsFormat::kLong) ls.format_asked.reset();
    ls.listing.blocks = ls.color = ls.hyperlinks = false;
  });
  options.flag("-r,--reverse", "Reverse the order", ls.reverse);
  options.flag("--group-directories-first", "List directories before others", ls.directories_first);
  on(options, "-c", "Show and sort by the time of the last change of attributes",
     [&ls] { set_time(ls, &reader::Node::ctime); });
  on(options, "-u", "Show and sort by the time of the last access",
     [&ls] { set_time(ls, &reader::Node::atime); });
  word(options, "--time",
       "Show and sort by atime, ctime or mtime; birth times are not kept, so birth shows ?",
       time_words(), [&ls](ShownTime member) { set_time(ls, member); });
}

void set_units(LsOptions& ls, const BlockUnit& unit) {
  ls.listing.blocks_in = ls.listing.sizes_in = unit;
  ls.units_asked = true;
}

void add_long_parts(OptionParser& options, LsOptions& ls) {
  options.flag("-i,--inode", "Print inode numbers", ls.listing.inode);
  options.flag("-Z,--context", "Print the security context, or ? if there is none",
               ls.listing.context);
  options.flag("-s,--size", "Print the space taken, in units of 1024 bytes", ls.listing.blocks);
  on(options, "-h,--human-readable", "Print sizes like 1.2K, 84M, 3G",
     [&ls] { set_units(ls, {.bytes = 1, .letters = "", .scale = SizeUnits::kBinary}); });
  on(options, "--si", "Like -h, in powers of 1000",
     [&ls] { set_units(ls, {.bytes = 1, .letters = "", .scale = SizeUnits::kDecimal}); });
  options.on_value("--block-size", "SIZE",
                   "Print sizes in units of SIZE bytes; if SIZE is only a letter, like M, print it "
                   "as well; human-readable and si mean -h and --si",
                   [&ls](const std::string& value) -> Status {
                     DGFS_TRY(unit, parse_block_unit(value));
                     set_units(ls, unit);
                     return ok();
                   });
  on(options, "-k,--kibibytes", "Use units of 1024 bytes for -s and totals, whatever variables say",
     [&ls] { ls.kibibytes = true; });
  const auto set_style = [&ls](const std::string& name) -> Status {
    const std::optional<TimeStyle> style = time_style(name);
    if (!style) {
      return Error(ErrorKind::kInvalidArgument, 6061,
                   "'" + name + "' is not [posix-]full-iso, long-iso, iso, locale or +FORMAT");
    }
    ls.listing.time_style = *style;
    return ok();
  };
  options.on_value("--time-style", "STYLE",
                   "full-iso, long-iso, iso, locale, or +FORMAT of date; a leading posix- is "
                   "accepted as by ls",
                   set_style);
  options.choices("--time-style", {"full-iso", "long-iso", "iso", "locale"});
  options.on_flag("--full-time", "Same as -l --time-style=full-iso", [&ls, set_style](const auto&) {
    set_format(ls, LsFormat::kLong);
    return set_style("full-iso");
  });
}

/// The terminal's width, or COLUMNS, or 80.
std::size_t default_width_columns(const Session& session) {
  if (session.io().out_is_terminal && session.io().width_columns != 0) {
    return session.io().width_columns;
  }
  const auto asked = parse_number(session.env().variable("COLUMNS").value_or(""));
  return asked ? asked.value() : 80;
}

/// Takes the units from LS_BLOCK_SIZE and BLOCK_SIZE; BLOCKSIZE does not change those of sizes.
void set_default_units(const storage::Env& env, LongListingOptions& listing) {
  listing.blocks_in = default_block_unit(env, "LS_BLOCK_SIZE");
  if (env.variable("LS_BLOCK_SIZE") || env.variable("BLOCK_SIZE")) {
    listing.sizes_in = listing.blocks_in;
  }
}

}  // namespace

void add_ls_options(OptionParser& options, const Session& session, LsOptions& ls) {
  ls.listing.now = session.env().now();
  ls.listing.time_style = *time_style("locale");
  const std::optional<std::string> style = session.env().variable("TIME_STYLE");
  if (style && time_style(*style)) ls.listing.time_style = *time_style(*style);
  set_default_units(session.env(), ls.listing);
  const auto tabs = parse_number(session.env().variable("TABSIZE").value_or(""));
  if (tabs) ls.tab_columns = tabs.value();
  ls.width_columns = default_width_columns(session);
  add_formats(options, ls);
  add_selection(options, ls);
  add_sorting(options, ls);
  add_long_parts(options, ls);
  add_ls_name_options(options, session, ls);
}

void complete_ls_options(const Session& session, LsOptions& ls) {
  const bool terminal = session.io().out_is_terminal;
  ls.format = ls.format_asked.value_or(terminal ? LsFormat::kColumns : LsFormat::kOnePerLine);
  const bool by_time = ls.time_asked && ls.format != LsFormat::kLong;
  ls.sort = ls.sort_asked.value_or(by_time ? LsSort::kTime : LsSort::kName);
  if (ls.kibibytes && !ls.units_asked) ls.listing.blocks_in = {};
  complete_ls_name_options(session, ls);
}

}  // namespace dgfs::tools
