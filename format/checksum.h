// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The checksum of every region: XXH3, 64 bits. It has a seed where a reader must not mistake
// identical bytes from another place for the right ones.
#pragma once

#include "base/bytes.h"

namespace dgfs::format {

[[nodiscard]] std::uint64_t checksum64(Bytes bytes, std::uint64_t seed = 0) noexcept;

}  // namespace dgfs::format
