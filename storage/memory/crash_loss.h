// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>

namespace dgfs::storage {

/// The effect of a simulated power cut on unsynced writes.
enum class CrashLoss : std::uint8_t {
  kDropUnsynced,  ///< every unsynced write and name change is lost
  kKeepAll,       ///< everything had reached the disk
  kRandomSubset,  ///< each unsynced write is kept, lost, or torn at a 512-byte boundary, by seed
  kScattered,     ///< each 512-byte sector of an unsynced write is kept or lost, by seed
};

}  // namespace dgfs::storage
