// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/checksum.h"

#include <xxhash.h>
#if defined(DGFS_XXH_DISPATCH)
// From here on XXH3 is the variant that suits the processor at run time: twice as fast with AVX2.
#include <xxh_x86dispatch.h>
#endif

namespace dgfs::format {

std::uint64_t checksum64(Bytes bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace dgfs::format
