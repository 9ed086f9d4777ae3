// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/find/printf.h"

#include <fmt/format.h>

#include "format/entry/mode.h"
#include "tools/ls/security_marks.h"
#include "tools/paths/node_facts.h"
#include "tools/text/mode_text.h"
#include "tools/text/printf_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

constexpr std::string_view kFindDirectives = "abcdDfFgGhHiklmMnpPsStuUyYZ";

/// As in GNU find: fractions of seconds have a tenth digit, always 0.
std::string ten_digits(const Time& time) { return fmt::format("{:09}0", time.nanoseconds); }

std::string usual_time(const Time& time) {
  return format_time(time, "%a %b %e %H:%M:%S.") + ten_digits(time) + format_time(time, " %Y");
}

std::string time_part(const Time& time, char letter) {
  switch (letter) {
    case '@':
      return fmt::format("{}.{}", time.seconds, ten_digits(time));
    case '+':
      return format_time(time, "%Y-%m-%d+%H:%M:%S.") + ten_digits(time);
    case 'S':
    case 'T':
      return format_time(time, std::string{'%', letter} + ".") + ten_digits(time);
    default:
      return format_time(time, std::string{'%', letter});
  }
}

std::string directory_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return std::string(path.substr(0, slash));
}

std::string below_start(const FindItem& item) {
  std::string_view rest = item.path.substr(item.depth == 0 ? item.path.size() : item.start.size());
  if (rest.starts_with('/')) rest.remove_prefix(1);
  return std::string(rest);
}

std::string target_of(FindRun& run, const FindItem& item) {
  if (!format::is_symlink(item.node.mode)) return {};
  Result<std::string> target = run.image.read_link(item.node);
  if (target) return std::move(target).value();
  run.complain(item.path, target.error());
  return {};
}

std::string context_of(FindRun& run, const FindItem& item) {
  const SecurityMarks marks = security_marks(run.image, item.node);
  if (marks.context) return *marks.context;
  run.complain(item.path, Error(ErrorKind::kNotFound, 6260, "has no security context"));
  return {};
}

/// Space taken, divided by size.
std::string sparseness(const reader::Node& node) {
  const auto taken = static_cast<double>(allocated_bytes(node));
  if (node.size_bytes == 0) return taken == 0 ? "1" : "inf";
  return fmt::format("{:g}", taken / static_cast<double>(node.size_bytes));
}

std::string value_of(const FormatPiece& piece, FindRun& run, const FindItem& item) {
  const reader::Node& node = item.node;
  switch (piece.modifier) {
    case 'A':
      return time_part(node.atime, piece.letter);
    case 'B':
      // Birth times are not kept; find prints this for unknown ones.
      return piece.letter == '@' ? "-1.-000000010" : "";
    case 'C':
      return time_part(node.ctime, piece.letter);
    case 'T':
      return time_part(node.mtime, piece.letter);
    default:
      break;
  }
  switch (piece.letter) {
    case 'a':
      return usual_time(node.atime);
    case 'b':
      return std::to_string(allocated_bytes(node) / kBlockBytes);
    case 'c':
      return usual_time(node.ctime);
    case 'd':
      return std::to_string(item.depth);
    case 'f':
      return run.session.shown(last_component(item.path));
    case 'F':
      return std::string(kFileSystemType);
    case 'g':
      return run.users.group_text(node.gid);
    case 'G':
      return std::to_string(node.gid);
    case 'h':
      return run.session.shown(directory_part(item.path));
    case 'H':
      return run.session.shown(item.start);
    case 'i':
      return std::to_string(node.inode);
    case 'k':
      return std::to_string((allocated_bytes(node) + 1023) / 1024);
    case 'l':
      return run.session.shown(target_of(run, item));
    case 'm':
      return fmt::format("{:o}", node.mode & format::kPermissionMask);
    case 'M':
      return mode_text(node.mode);
    case 'n':
      return std::to_string(node.link_count);
    case 'p':
      return run.session.shown(item.path);
    case 'P':
      return run.session.shown(below_start(item));
    case 's':
      return std::to_string(node.size_bytes);
    case 'S':
      return sparseness(node);
    case 't':
      return usual_time(node.mtime);
    case 'u':
      return run.users.user_text(node.uid);
    case 'U':
      return std::to_string(node.uid);
    case 'y':
      return {find_type_letter(node.mode)};
    case 'Y':
      return {followed_type(run, item)};
    case 'Z':
      return context_of(run, item);
    default:
      return "0";  // %D: the number of the file system's device
  }
}

/// Pads the value as find does: some values as numbers, all others as text.
std::string placed(const FormatPiece& piece, FindRun& run, const FindItem& item) {
  std::string value = value_of(piece, run, item);
  if (piece.modifier != 0) return padded(piece, std::move(value));
  if (piece.letter == 'd') return padded_number(piece, NumberKind::kSigned, std::move(value));
  if (piece.letter == 'm') return padded_number(piece, NumberKind::kOctal, std::move(value));
  return padded(piece, std::move(value));
}

}  // namespace

Result<FindTest> printf_action(FindRun& run, std::string_view format) {
  DGFS_TRY(pieces, parse_format(format, "ABCT", Escapes::kFind));
  for (const FormatPiece& piece : pieces) {
    const bool known = piece.letter == 0 || piece.modifier != 0 ||
                       kFindDirectives.find(piece.letter) != std::string_view::npos;
    if (known) continue;
    return Error(ErrorKind::kInvalidArgument, 6082,
                 fmt::format("%{}: unknown directive", piece.letter));
  }
  return FindTest([&run, pieces = std::move(pieces)](const FindItem& item) {
    std::string out;
    for (const FormatPiece& piece : pieces) {
      out += piece.literal;
      if (piece.letter != 0) out += placed(piece, run, item);
    }
    run.session.print(out);
    return true;
  });
}

}  // namespace dgfs::tools
