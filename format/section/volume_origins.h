// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volume origins: which volumes of an image are files of other images (section kVolumeOrigins).
// Their extents stay where they are when a merge makes a new image.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/header/uuid.h"

namespace dgfs::format {

/// A volume of another image. A value.
struct VolumeOrigin {
  VolumeNumber number = 0;  ///< in this image; never 0
  /// What the header page of the volume says, by which it is found. Users may give two images one
  /// UUID, so the checksum of the page counts, too.
  Uuid image{};
  VolumeNumber own_number = 0;        ///< in its own image, as that page says
  std::uint64_t header_checksum = 0;  ///< of that page
  /// Bytes of its extents that no file of this image has.
  std::uint64_t dead_bytes = 0;
  bool is_of_merge = false;  ///< its image has volumes of others, too: merges fold such volumes
  friend bool operator==(const VolumeOrigin&, const VolumeOrigin&) = default;
};

/// Appends the body of the section's block.
/// @param origins  with rising numbers
void encode_volume_origins(const std::vector<VolumeOrigin>& origins, Buffer& out);
/// Errors: kCorrupt.
[[nodiscard]] Result<std::vector<VolumeOrigin>> decode_volume_origins(Bytes body);

}  // namespace dgfs::format
