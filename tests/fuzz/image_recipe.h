// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A recipe: an image with everything decompressed and without checksums, as a row of chunks, so
// that a mutation of it is a mutation of what decoders see. Baking it puts everything back.
//
//   chunk: what u8, length u32, bytes     what: 0 counts and features of the superblock, 1 a page
//   of columns, 2 to 8, 12 and 14 the body of a block of that section, 9 to 11 and 13 the body of
//   a record of it, 253 any other page, 254 a further volume, 255 data of the image
//
//   page: codec u8, model u16, attribute table u16, entries u16; of 1 the columns; of 253 their
//   length u32 and the payload as it is stored: bits of tokens, or what needs a dictionary
//   further volume: number u16, data
#pragma once

#include <vector>

#include "base/bytes.h"

namespace dgfs::test {

/// The files of an image. A value.
struct BakedImage {
  Buffer image;
  std::vector<Buffer> volumes;  ///< further ones, at most kBakedVolumesMax; found by what they say
};
inline constexpr std::size_t kBakedVolumesMax = 4;

/// @param image       a sound image with a trailing index
/// @param volumes     its further volumes
/// @param data_bytes  at most so much of the data of each goes into the recipe
[[nodiscard]] Buffer recipe_of(Bytes image, const std::vector<Buffer>& volumes,
                               std::size_t data_bytes);

/// An image with all checksums right, whatever the recipe; what is no chunk is left out. Takes
/// memory in the order of the recipe's length.
[[nodiscard]] BakedImage bake(Bytes recipe);

}  // namespace dgfs::test
