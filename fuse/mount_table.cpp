// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dgfs::fuse {
namespace {

constexpr const char* kMountTable = "/proc/self/mountinfo";
constexpr std::size_t kTablePieceBytes = std::size_t{64} << 10;
// Enough for some ten thousand mounts; mounts after that are not seen.
constexpr std::size_t kTableBytesMax = std::size_t{4} << 20;

// A line: number, parent, device, root, mount point, options, further fields, "-", type, source,
// options of the file system.
constexpr std::size_t kNumberField = 0;
constexpr std::size_t kParentField = 1;
constexpr std::size_t kDeviceField = 2;
constexpr std::size_t kPointField = 4;
constexpr std::size_t kOptionsField = 5;
constexpr std::string_view kEndOfFurther = "- ";

// Returns the field, and moves the line to the text after it.
std::string_view take_field(std::string_view& line, char end) {
  const auto length = std::min(line.find(end), line.size());
  const auto field = line.substr(0, length);
  line.remove_prefix(std::min(length + 1, line.size()));
  return field;
}

bool is_octal(std::string_view digits) {
  return digits.size() == 3 && digits.find_first_not_of("01234567") == digits.npos;
}

// The table writes blanks and similar characters as "\040".
std::string unescaped(std::string_view field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const auto digits = field.substr(i + 1, 3);
    if (field[i] != '\\' || !is_octal(digits)) {
      out.push_back(field[i]);
      continue;
    }
    out.push_back(
        static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0')));
    i += digits.size();
  }
  return out;
}

}  // namespace

std::optional<MountEntry> find_mount(std::string_view table, std::string_view mount_point) {
  std::optional<MountEntry> found;
  while (!table.empty()) {
    auto line = take_field(table, '\n');
    std::array<std::string_view, kOptionsField + 1> fields;
    for (auto& field : fields) field = take_field(line, ' ');
    if (unescaped(fields[kPointField]) != mount_point) continue;
    while (!line.empty() && !line.starts_with(kEndOfFurther)) take_field(line, ' ');
    take_field(line, ' ');
    const auto type = take_field(line, ' ');
    take_field(line, ' ');
    found = {std::string(fields[kDeviceField]), std::string(fields[kOptionsField]),
             std::string(type), std::string(take_field(line, ' ')),
             std::string(fields[kNumberField])};
  }
  return found;
}

// Compares parents, not paths: a mount that is hidden under another one has such a path, too.
std::optional<std::string> find_mount_below(std::string_view table, std::string_view number) {
  while (!table.empty()) {
    auto line = take_field(table, '\n');
    std::array<std::string_view, kPointField + 1> fields;
    for (auto& field : fields) field = take_field(line, ' ');
    if (fields[kParentField] == number && !number.empty()) return unescaped(fields[kPointField]);
  }
  return std::nullopt;
}

Result<std::string> read_mount_table(storage::Env& env) {
  DGFS_TRY(file, env.open(kMountTable));
  std::string table;
  Buffer piece(kTablePieceBytes);
  while (table.size() < kTableBytesMax) {
    DGFS_TRY(count, file->read_at(table.size(), piece));
    table += as_text(Bytes(piece).first(count));
    if (count < piece.size()) break;
  }
  return table;
}

}  // namespace dgfs::fuse
