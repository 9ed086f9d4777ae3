// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/checksum.h"

#include <xxhash.h>

namespace dgfs::format {

std::uint64_t checksum64(Bytes bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace dgfs::format
