// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/text_input.h"

#include <algorithm>

#include "storage/file.h"

namespace dgfs::tools {
namespace {

constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 30;

}  // namespace

Result<std::string> read_text(const ToolIo& io, const std::string& path) {
  if (io.read_stream) return io.read_stream(path, kFileBytesMax);
  DGFS_TRY(file, io.env.open(path));
  DGFS_TRY(size, file->size());
  if (size > kFileBytesMax)
    return Error(ErrorKind::kLimit, 6050, "longer than 1 GiB").in_file(path);
  std::string text(size, '\0');
  auto* const begin = reinterpret_cast<std::uint8_t*>(text.data());
  DGFS_CHECK(storage::read_exactly(*file, 0, MutableBytes(begin, text.size())));
  return text;
}

std::vector<std::string> terminated_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

}  // namespace dgfs::tools
