// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A recipe: an image with everything decompressed and without checksums, as a row of chunks, so
// that a mutation of it is a mutation of what decoders see. Baking it puts everything back.
//
//   chunk: what u8, length u32, bytes     what: 0 counts and features of the superblock, 1 a page,
//   2 to 8, 12 and 14 the body of a block of that section, 9 to 11 and 13 the body of a record of
//   it, 255 data of the volume
#pragma once

#include "base/bytes.h"

namespace dgfs::test {

/// @param image       a sound image with a trailing index
/// @param data_bytes  at most so much of its data goes into the recipe
[[nodiscard]] Buffer recipe_of(Bytes image, std::size_t data_bytes);

/// An image with all checksums right, whatever the recipe; what is no chunk is left out.
[[nodiscard]] Buffer bake(Bytes recipe);

}  // namespace dgfs::test
