// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volumes: files that hold extents. A volume begins with a header page. An image is volume 0, with
// the index after its data. The last page of the file repeats the header, so damage to the first
// page does not hide the rest.
//
//   [header page][extents ...][zeros to a page boundary][index, if any][header page]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/header/superblock.h"

namespace dgfs::format {

/// Contents of the first and the last page of a volume. A value.
struct VolumeHeader {
  std::uint64_t incompat = 0;      ///< feature bits, as in the superblock
  Uuid image_uuid{};               ///< of the image it belongs to
  VolumeNumber number = 0;         ///< 0 = the image itself
  std::uint64_t data_end = 0;      ///< extents lie in [kPageBytes, data_end)
  std::uint64_t index_offset = 0;  ///< 0 = no index in this volume; multiple of kPageBytes
  std::uint64_t index_bytes = 0;   ///< length of that index
  std::uint64_t file_bytes = 0;    ///< length of the whole volume, trailing header included
  friend bool operator==(const VolumeHeader&, const VolumeHeader&) = default;
};

[[nodiscard]] Buffer encode_volume_header(const VolumeHeader& header);  ///< kPageBytes bytes
/// Errors: kCorrupt, kUnsupported.
[[nodiscard]] Result<VolumeHeader> decode_volume_header(Bytes page);
/// Whether `bytes` begin with a volume's magic.
[[nodiscard]] bool is_volume_header(Bytes bytes);

/// One row of the index's volume table (section kVolumes). A value.
struct VolumeRecord {
  VolumeNumber number = 0;     ///< 0 = the image itself
  std::uint64_t data_end = 0;  ///< extents lie below this offset
  std::string hint;            ///< file name when built, without directories; may be empty
  friend bool operator==(const VolumeRecord&, const VolumeRecord&) = default;
};
/// Appends the bytes that decode_volume_table() reads.
void encode_volume_table(const std::vector<VolumeRecord>& volumes, Buffer& out);
/// Numbers rise. Errors: kCorrupt.
[[nodiscard]] Result<std::vector<VolumeRecord>> decode_volume_table(Bytes body);

}  // namespace dgfs::format
