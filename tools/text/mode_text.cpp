// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/mode_text.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <charconv>

#include "format/entry/mode.h"
#include "tools/text/ascii.h"

namespace dgfs::tools {
namespace {

struct TypeNames {
  std::uint32_t type;
  char letter;
  std::string_view text;
  std::string_view word;
};

constexpr TypeNames kTypes[] = {
    {format::kTypeRegular, '-', "regular file", "file"},
    {format::kTypeDirectory, 'd', "directory", "directory"},
    {format::kTypeSymlink, 'l', "symbolic link", "symlink"},
    {format::kTypeFifo, 'p', "fifo", "fifo"},
    {format::kTypeSocket, 's', "socket", "socket"},
    {format::kTypeCharacterDevice, 'c', "character special file", "char"},
    {format::kTypeBlockDevice, 'b', "block special file", "block"},
};
constexpr TypeNames kUnknownType = {0, '?', "weird file", "unknown"};

const TypeNames& names_of(std::uint32_t mode) {
  for (const TypeNames& names : kTypes) {
    if (names.type == format::type_of(mode)) return names;
  }
  return kUnknownType;
}

Error invalid_mode(std::uint16_t code, std::string_view text) {
  return Error(ErrorKind::kInvalidArgument, code, fmt::format("'{}' is not a mode", text));
}

/// Permission bits of a letter in all three classes; 0 for an unknown letter.
std::uint32_t bits_of(char letter) {
  switch (letter) {
    case 'r':
      return 0444;
    case 'w':
      return 0222;
    case 'x':
      return 0111;
    case 's':
      return 06000;
    case 't':
      return 01000;
    default:
      return 0;
  }
}

/// The bits that a class letter selects, including its special bit; 0 for an unknown letter.
std::uint32_t class_mask(char letter) {
  switch (letter) {
    case 'u':
      return 04700;
    case 'g':
      return 02070;
    case 'o':
      return 01007;
    case 'a':
      return 07777;
    default:
      return 0;
  }
}

/// Applies one clause, "go+rx", to `mode`.
bool apply_clause(std::string_view clause, std::uint32_t& mode) {
  std::uint32_t mask = 0;
  while (!clause.empty() && class_mask(clause[0]) != 0) {
    mask |= class_mask(clause[0]);
    clause.remove_prefix(1);
  }
  if (mask == 0) mask = 07777;
  if (clause.empty()) return false;
  while (!clause.empty()) {
    const char action = clause[0];
    if (action != '+' && action != '-' && action != '=') return false;
    clause.remove_prefix(1);
    std::uint32_t bits = 0;
    while (!clause.empty() && bits_of(clause[0]) != 0) {
      bits |= bits_of(clause[0]);
      clause.remove_prefix(1);
    }
    if (action == '=') mode &= ~mask;
    mode = action == '-' ? mode & ~(bits & mask) : mode | (bits & mask);
  }
  return true;
}

}  // namespace

std::string mode_text(std::uint32_t mode) {
  std::string out = "?rwxrwxrwx";
  out[0] = type_letter(mode);
  for (unsigned bit = 0; bit < 9; ++bit) {
    if ((mode & (0400U >> bit)) == 0) out[bit + 1] = '-';
  }
  if ((mode & 04000) != 0) out[3] = out[3] == 'x' ? 's' : 'S';
  if ((mode & 02000) != 0) out[6] = out[6] == 'x' ? 's' : 'S';
  if ((mode & 01000) != 0) out[9] = out[9] == 'x' ? 't' : 'T';
  return out;
}

char type_letter(std::uint32_t mode) { return names_of(mode).letter; }

char find_type_letter(std::uint32_t mode) {
  return format::is_regular(mode) ? 'f' : type_letter(mode);
}

std::string_view type_text(std::uint32_t mode) { return names_of(mode).text; }

std::string_view type_word(std::uint32_t mode) { return names_of(mode).word; }

Result<std::uint32_t> parse_mode(std::string_view text) {
  if (!text.empty() && is_digit(text[0])) {
    std::uint32_t mode = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, failure] = std::from_chars(text.data(), end, mode, 8);
    if (failure != std::errc{} || parsed != end || mode > format::kPermissionMask) {
      return invalid_mode(6021, text);
    }
    return mode;
  }
  std::uint32_t mode = 0;
  for (std::string_view rest = text;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (!apply_clause(rest.substr(0, comma), mode)) return invalid_mode(6022, text);
    if (comma == rest.size()) return mode;
    rest.remove_prefix(comma + 1);
  }
}

std::uint32_t device_major(std::uint64_t rdev) { return gnu_dev_major(rdev); }
std::uint32_t device_minor(std::uint64_t rdev) { return gnu_dev_minor(rdev); }

}  // namespace dgfs::tools
