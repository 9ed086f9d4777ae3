// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/build/option_values.h"

#include <fmt/format.h>

#include <charconv>

#include "delta/merge/repack_rules.h"
#include "format/limits.h"
#include "format/zstd/frame.h"
#include "tools/text/size_text.h"

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

Result<std::size_t> parse_fragment_frames(const std::string& text) {
  DGFS_TRY(bytes, parse_size(text));
  if (bytes != 0 &&
      (bytes < builder::kFragmentFrameBytesMin || bytes > format::kFragmentFrameBytesMax)) {
    return Error(ErrorKind::kInvalidArgument, 6200, "must be 0, or 4K to 64K");
  }
  return static_cast<std::size_t>(bytes);
}

Result<std::optional<format::DigestAlgorithm>> parse_digest(const std::string& text) {
  using Parsed = std::optional<format::DigestAlgorithm>;
  if (text == "none") return Parsed();
  if (text == "sha256") return Parsed(format::DigestAlgorithm::kSha256);
  return Error(ErrorKind::kInvalidArgument, 6180, "must be none or sha256");
}

Result<std::size_t> parse_build_memory(const std::string& text) {
  DGFS_TRY(bytes, parse_size(text));
  if (bytes < builder::kMemoryBytesMin) {
    return Error(ErrorKind::kInvalidArgument, 6051, "must be at least 4M");
  }
  return static_cast<std::size_t>(bytes);
}

Result<unsigned> parse_percent(const std::string& text) {
  if (const auto percent = merge::parse_dead_percent(text)) return *percent;
  return Error(ErrorKind::kInvalidArgument, 6949, "must be a number from 0 to 99");
}

}  // namespace dgfs::tools
