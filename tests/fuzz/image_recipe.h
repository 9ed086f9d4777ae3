// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A recipe: an image as a row of chunks, with everything decompressed and without checksums, so
// that a mutation of the recipe reaches the decoders. Baking compresses and adds checksums again.
//
//   chunk: what u8, length u32, bytes     what: 0 counts and features of the superblock, 1 a page
//   of columns, another number of a section the body of a block or of a record of it, 253 any other
//   page, 254 a further volume, 255 data of the image
//
//   page: codec u8, flags u8, model u16, attribute table u16, entries u16; of 1 the columns; of 253
//   their length u32 and the payload as it is stored: bits of tokens, or what needs a dictionary
//   further volume: number u16, data
//
// A further volume is a file of another image if the section of volume origins has a row for its
// number.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "format/section/volume_origins.h"

namespace dgfs::test {

/// The files of an image. A value.
struct BakedImage {
  Buffer image;
  std::vector<Buffer>
      volumes;  ///< further volumes, at most kBakedVolumesMax; found by their headers
};
inline constexpr std::size_t kBakedVolumesMax = 4;

/// Whether `bytes` are this volume of another image.
[[nodiscard]] bool is_volume(Bytes bytes, const format::VolumeOrigin& origin);

/// @param image       a sound image with a trailing index
/// @param volumes     its further volumes
/// @param data_bytes  at most so many bytes of the data of each volume go into the recipe
[[nodiscard]] Buffer recipe_of(Bytes image, const std::vector<Buffer>& volumes,
                               std::size_t data_bytes);

/// Makes an image with all checksums right, whatever the recipe; skips bytes that are no chunk.
/// Takes memory in the order of the recipe's length.
[[nodiscard]] BakedImage bake(Bytes recipe);

}  // namespace dgfs::test
