// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Parts of the manifest's coding that its two versions share, and the states of version 3
// (manifest.h has the format).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/directory/manifest.h"
#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {

inline constexpr std::size_t kManifestChecksumAt = kManifestSlotBytes - 8;
inline constexpr std::size_t kStatesChecksumAt = kStatesManifestSlotBytes - 8;
/// Length of the part about the base.
inline constexpr std::size_t kBaseBytes = 664;
/// Of the features: there is a base.
inline constexpr std::uint32_t kManifestHasBase = 1;

[[nodiscard]] inline Error bad_manifest(std::uint16_t code, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text).in_section("manifest");
}

/// Stores the checksum of all bytes before it. @param at  its offset
inline void store_manifest_checksum(MutableBytes bytes, std::size_t at) {
  format::store(bytes, at, format::checksum64(Bytes(bytes).first(at)));
}
[[nodiscard]] inline bool has_manifest_checksum(Bytes bytes, std::size_t at) {
  return bytes.size() >= at + 8 &&
         format::load<std::uint64_t>(bytes, at) == format::checksum64(bytes.first(at));
}

[[nodiscard]] inline bool are_zeros(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

/// Appends everything of version 3 from offset 72 on, with both checksums.
/// @param bytes  a slot up to there
void encode_states(const Manifest& manifest, Buffer& bytes);
/// Reads it, and checks that states fit each other. Errors: kCorrupt.
/// @param bytes  a whole slot
/// @param in     stands at offset 72
/// @param count  of the stores
[[nodiscard]] Status decode_states(Bytes bytes, format::Decoder& in, std::uint64_t count,
                                   Manifest& manifest);

/// Appends kBaseBytes bytes.
void encode_base(const BaseFacts& base, Buffer& bytes);
/// Reads them, and checks that the base fits the stores of the manifest. Errors: kCorrupt.
[[nodiscard]] Status decode_base(Bytes bytes, Manifest& manifest);

}  // namespace dgfs::delta
