// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/kernel_read_ahead.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace dgfs::fuse {
namespace {

constexpr const char* kMountTable = "/proc/self/mountinfo";
constexpr std::string_view kReadAheadKib = "512";
constexpr std::size_t kTablePieceBytes = std::size_t{64} << 10;
// Some ten thousand mounts; of more, the last are left as they are.
constexpr std::size_t kTableBytesMax = std::size_t{4} << 20;

// Line: number, parent, device, root, mount point, ...
constexpr std::size_t kDeviceField = 2;
constexpr std::size_t kPointField = 4;

// The field, and the rest of the line moved behind it.
std::string_view take_field(std::string_view& line, char end) {
  const auto length = std::min(line.find(end), line.size());
  const auto field = line.substr(0, length);
  line.remove_prefix(std::min(length + 1, line.size()));
  return field;
}

bool is_octal(std::string_view digits) {
  return digits.size() == 3 && digits.find_first_not_of("01234567") == digits.npos;
}

// The table writes blanks and the like as "\040".
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

Result<std::string> read_table(storage::Env& env) {
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

}  // namespace

std::optional<std::string> mounted_device(std::string_view table, std::string_view mount_point) {
  std::optional<std::string> device;
  while (!table.empty()) {
    auto line = take_field(table, '\n');
    std::array<std::string_view, kPointField + 1> fields;
    for (auto& field : fields) field = take_field(line, ' ');
    if (unescaped(fields[kPointField]) == mount_point) device = fields[kDeviceField];
  }
  return device;
}

Status raise_read_ahead(storage::Env& env, const std::string& mount_point) {
  DGFS_TRY(table, read_table(env));
  const auto device = mounted_device(table, mount_point);
  if (!device) return ok();  // unmounted since
  const auto path = fmt::format("/sys/class/bdi/{}/read_ahead_kb", *device);
  DGFS_TRY(setting, env.open(path, {.mode = storage::OpenOptions::Mode::kReadWrite}));
  return setting->write_at(0, as_bytes(kReadAheadKib));
}

}  // namespace dgfs::fuse
