// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/compression_option.h"

#include <fmt/format.h>

#include <charconv>

#include "format/zstd/frame.h"

namespace dgfs::tools {

Result<std::optional<builder::Compression>> parse_compression(const std::string& text) {
  using Parsed = std::optional<builder::Compression>;
  if (text == "none") return Parsed();
  builder::Compression compression;
  if (text == "zstd") return Parsed(compression);
  constexpr std::string_view kPrefix = "zstd:";
  if (!text.starts_with(kPrefix)) {
    return Error(ErrorKind::kInvalidArgument, 6066, "must be none, zstd or zstd:LEVEL");
  }
  const char* const begin = text.data() + kPrefix.size();
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, compression.level);
  if (error != std::errc() || stop != end || compression.level < format::kZstdLevelMin ||
      compression.level > format::kZstdLevelMax) {
    return Error(ErrorKind::kInvalidArgument, 6067,
                 fmt::format("the level must be a number from {} to {}", format::kZstdLevelMin,
                             format::kZstdLevelMax));
  }
  return Parsed(compression);
}

}  // namespace dgfs::tools
