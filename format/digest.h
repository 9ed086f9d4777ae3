// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Cryptographic digests of contents: what they are, apart from how they are made and kept.
#pragma once

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

/// "sha256".
[[nodiscard]] std::string_view digest_algorithm_name(DigestAlgorithm algorithm);
/// 64 lower-case hexadecimal digits, as sha256sum(1) prints them.
[[nodiscard]] std::string digest_text(const Digest& digest);

}  // namespace dgfs::format
