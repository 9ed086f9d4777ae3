// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/stat_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/entry/mode.h"
#include "tools/paths/node_facts.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

constexpr std::string_view kStatDirectives = "aAbBCdDfFgGhimnNorRstTuUwWxXyYzZ";

std::string quoted_with_target(const StatSubject& subject) {
  const ShellQuoting always{.always = true, .printed = subject.printed};
  const std::string quoted = shell_quoted(subject.name, always);
  return format::is_symlink(subject.node.mode)
             ? quoted + " -> " + shell_quoted(subject.target, always)
             : quoted;
}

std::string file_type(const reader::Node& node) {
  const bool empty = format::is_regular(node.mode) && node.size_bytes == 0;
  return empty ? "regular empty file" : std::string(type_text(node.mode));
}

/// Seconds, with as many digits of their fraction as the precision asks for. Times before 1970
/// count back: half a second before it is -0.5, kept as second -1 and 500,000,000 ns.
std::string seconds_text(const FormatPiece& piece, const Time& time) {
  if (!piece.precision) return std::to_string(time.seconds);
  const std::size_t digits = *piece.precision == 0 ? 9 : *piece.precision;
  std::uint64_t unit_ns = 1;
  std::uint64_t fraction_end = 1'000'000'000;
  for (std::size_t i = digits; i < 9; ++i) {
    unit_ns *= 10;
    fraction_end /= 10;
  }
  std::uint64_t fraction = time.nanoseconds / unit_ns;
  std::string seconds = std::to_string(time.seconds);
  if (time.seconds < 0 && time.nanoseconds != 0) {
    // Cut towards zero, as stat does.
    fraction = fraction_end - fraction - (time.nanoseconds % unit_ns != 0 ? 1 : 0);
  }
  if (time.seconds < 0 && fraction != 0) {
    seconds = fmt::format("-{}", -(time.seconds + 1));
  }
  std::string text = fmt::format("{:0{}}", fraction, std::min<std::size_t>(digits, 9));
  text.resize(digits, '0');
  return seconds + "." + text;
}

std::string device_part(const FormatPiece& piece, const reader::Node& node) {
  if (piece.letter == 'd') return "0";
  return std::to_string(piece.modifier == 'H' ? device_major(node.rdev) : device_minor(node.rdev));
}

std::string value_of(const FormatPiece& piece, const StatSubject& subject, UserNames& users) {
  const auto& node = subject.node;
  if (piece.modifier != 0) return device_part(piece, node);
  switch (piece.letter) {
    case 'a':
      return fmt::format("{:o}", node.mode & format::kPermissionMask);
    case 'A':
      return mode_text(node.mode);
    case 'b':
      return std::to_string(allocated_bytes(node) / kBlockBytes);
    case 'B':
      return std::to_string(kBlockBytes);
    case 'C':
      return subject.context.value_or("?");
    case 'f':
      return fmt::format("{:x}", node.mode);
    case 'F':
      return file_type(node);
    case 'g':
      return std::to_string(node.gid);
    case 'G':
      return users.group(node.gid).value_or("UNKNOWN");
    case 'h':
      return std::to_string(node.link_count);
    case 'i':
      return std::to_string(node.inode);
    case 'm':
      return "/";
    case 'n':
      return subject.shown_name;
    case 'N':
      return quoted_with_target(subject);
    case 'o':
      return std::to_string(kIoBlockBytes);
    case 'r':
      return std::to_string(node.rdev);
    case 'R':
      return fmt::format("{:x}", node.rdev);
    case 's':
      return std::to_string(node.size_bytes);
    case 't':
      return fmt::format("{:x}", device_major(node.rdev));
    case 'T':
      return fmt::format("{:x}", device_minor(node.rdev));
    case 'u':
      return std::to_string(node.uid);
    case 'U':
      return users.user(node.uid).value_or("UNKNOWN");
    case 'w':
      return "-";
    case 'W':
      return seconds_text(piece, {});
    case 'x':
      return full_iso_time(node.atime);
    case 'X':
      return seconds_text(piece, node.atime);
    case 'y':
      return full_iso_time(node.mtime);
    case 'Y':
      return seconds_text(piece, node.mtime);
    case 'z':
      return full_iso_time(node.ctime);
    case 'Z':
      return seconds_text(piece, node.ctime);
    default:
      return "0";  // %d %D
  }
}

/// The kind of number that stat passes to printf; nullopt: text.
std::optional<NumberKind> number_kind(const FormatPiece& piece) {
  const auto is_one_of = [&](std::string_view letters) {
    return letters.find(piece.letter) != letters.npos;
  };
  if (piece.modifier != 0 || is_one_of("bBdghioru")) return NumberKind::kUnsigned;
  if (is_one_of("sWXYZ")) return NumberKind::kSigned;
  if (is_one_of("DfRtT")) return NumberKind::kHexadecimal;
  if (piece.letter == 'a') return NumberKind::kOctal;
  return std::nullopt;
}

bool is_known(const FormatPiece& piece) {
  if (piece.modifier != 0) return piece.letter == 'd' || piece.letter == 'r';
  return piece.letter == 0 || kStatDirectives.find(piece.letter) != std::string_view::npos;
}

}  // namespace

Result<StatFormat> StatFormat::parse(std::string_view format, bool escapes) {
  DGFS_TRY(pieces, parse_format(format, "HL", escapes ? Escapes::kStat : Escapes::kNone));
  for (const FormatPiece& piece : pieces) {
    if (is_known(piece)) continue;
    const std::string letters =
        (piece.modifier != 0 ? std::string(1, piece.modifier) : "") + piece.letter;
    return Error(ErrorKind::kInvalidArgument, 6071, fmt::format("%{}: unknown directive", letters));
  }
  return StatFormat(std::move(pieces));
}

StatFormat StatFormat::standard(bool device) {
  const std::string format = fmt::format(
      "  File: %n\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
      "Device: %Hd,%Ld\tInode: %-10i  Links: {}\n"
      "Access: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
      "Access: %x\nModify: %y\nChange: %z\n Birth: %w",
      device ? "%-5h Device type: %Hr,%Lr" : "%h");
  return parse(format, false).value();
}

StatFormat StatFormat::terse() {
  return parse("%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o", false).value();
}

bool StatFormat::shows_context() const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [](const FormatPiece& piece) { return piece.letter == 'C'; });
}

std::string StatFormat::print(const StatSubject& subject, UserNames& users) const {
  std::string out;
  for (const FormatPiece& piece : pieces_) {
    out += piece.literal;
    if (piece.letter == 0) continue;
    FormatPiece placed = piece;
    // For these the precision counts digits of the fraction, and value_of() has applied it.
    if (std::string_view("WXYZ").find(piece.letter) != std::string_view::npos) {
      placed.precision.reset();
    }
    std::string value = value_of(piece, subject, users);
    const auto kind = number_kind(piece);
    out += kind ? padded_number(placed, *kind, std::move(value)) : padded(placed, std::move(value));
  }
  return out;
}

}  // namespace dgfs::tools
