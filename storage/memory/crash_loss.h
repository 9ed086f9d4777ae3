// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>

namespace dgfs::storage {

/// What a simulated power cut does to writes that were not synced.
enum class CrashLoss : std::uint8_t {
  kDropUnsynced,  ///< every unsynced write and name change is lost
  kKeepAll,       ///< everything had reached the disk
  kRandomSubset,  ///< each unsynced write is kept, lost, or torn at a 512-byte boundary, by seed
  kScattered,     ///< of each unsynced write any of its 512-byte sectors are lost, by seed
};

}  // namespace dgfs::storage
