// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cryptographic digests of contents: what they are, apart from how they are made and kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::format {

/// How a digest is made (F-331). The numbers are the format's.
enum class DigestAlgorithm : std::uint8_t { kSha256 = 1 };

/// Of the only algorithm so far.
inline constexpr std::size_t kDigestBytes = 32;
/// Of all bytes of a regular file; holes are zeros.
using Digest = std::array<std::uint8_t, kDigestBytes>;

/// Less than this of zeros is hashed in a second or a few.
inline constexpr std::uint64_t kLongHoleBytes = std::uint64_t{1} << 30;

/// Files whose holes make their digests costly: a digest takes zeros as it takes data, one byte
/// after the other. A value.
struct LongHoles {
  std::uint64_t files = 0;          ///< of at least kLongHoleBytes of holes
  std::uint64_t bytes = 0;          ///< of their holes
  std::uint64_t largest_bytes = 0;  ///< of one file, which is hashed by one thread
  bool is_estimate = false;         ///< by the space that files take: some may be no holes

  /// Counts a file with so much of holes, if that is much.
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
