// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks the unused bytes between the regions of an index or a volume.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "storage/file.h"

namespace dgfs::reader {

/// Checks that the bytes of an index outside its superblock and sections are zero (F-027). Errors:
/// kIo; kCorrupt at the first byte that is not.
[[nodiscard]] Status check_unused_of_index(const storage::File& file, std::uint64_t base_bytes,
                                           const format::Superblock& superblock);

/// The same for a volume's bytes between extents, index and last header page.
[[nodiscard]] Status check_unused_of_volume(const storage::File& file,
                                            const format::VolumeHeader& header);

/// The same for the bytes [begin, end) of a volume, which no extent has.
[[nodiscard]] Status check_unused_between(const storage::File& file, std::uint64_t begin_bytes,
                                          std::uint64_t end_bytes);

}  // namespace dgfs::reader
