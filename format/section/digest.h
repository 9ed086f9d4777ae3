// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cryptographic digests of contents: their types. Other files make and store them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::format {

/// The algorithm of a digest (F-331). The numbers are the format's.
enum class DigestAlgorithm : std::uint8_t { kSha256 = 1 };

/// Length of a digest of the only algorithm so far.
inline constexpr std::size_t kDigestBytes = 32;
/// The digest of all bytes of a regular file; holes are zeros.
using Digest = std::array<std::uint8_t, kDigestBytes>;

/// Fewer zeros than this are hashed within a few seconds.
inline constexpr std::uint64_t kLongHoleBytes = std::uint64_t{1} << 30;

/// Files whose holes make their digests costly: zeros are hashed byte by byte, like data. A value.
struct LongHoles {
  std::uint64_t files = 0;          ///< number of files with at least kLongHoleBytes of holes
  std::uint64_t bytes = 0;          ///< length of the holes of these files
  std::uint64_t largest_bytes = 0;  ///< most holes of one file; one thread hashes them
  bool is_estimate = false;         ///< holes are guessed from the space that files take

  /// Counts a file with `hole_bytes` of holes, if these are long.
  void add(std::uint64_t hole_bytes) {
    if (hole_bytes < kLongHoleBytes) return;
    ++files;
    bytes += hole_bytes;
    largest_bytes = std::max(largest_bytes, hole_bytes);
  }
};

/// "sha256".
[[nodiscard]] std::string_view digest_algorithm_name(DigestAlgorithm algorithm);
/// 64 lower-case hexadecimal digits, as sha256sum(1) prints them.
[[nodiscard]] std::string digest_text(const Digest& digest);

}  // namespace dgfs::format
