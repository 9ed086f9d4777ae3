// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The superblock of a store: the state that its last checkpoint made durable. The file "store" has
// two slots of 4 KiB. Checkpoints write them in turn, so that a torn write leaves the superblock
// before.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/disk/block_file.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/disk/space_maps.h"
#include "delta/store/log/log.h"

namespace dgfs::delta {

inline constexpr std::size_t kSuperblockBytes = 4096;

/// A value.
struct Superblock {
  StoreUuid store{};
  StoreParameters parameters;
  std::uint64_t checkpoint = 0;  ///< number of checkpoints so far
  std::uint64_t sequence = 0;    ///< the last that is in the tree
  LogPosition log;               ///< a replay begins here
  Place root;                    ///< of the tree
  /// Table of the filter of objects; of length 0: the filter is empty.
  Place filter;
  SpaceMaps space;  ///< empty: opening has to walk the tree

  friend bool operator==(const Superblock&, const Superblock&) = default;
};

/// Returns kSuperblockBytes bytes.
[[nodiscard]] Buffer encode_superblock(const Superblock& superblock);
/// Errors: kCorrupt, kUnsupported.
[[nodiscard]] Result<Superblock> decode_superblock(Bytes bytes);

/// The newest valid slot. Errors: kIo; kCorrupt if none is valid; kUnsupported if one is of a newer
/// version.
[[nodiscard]] Result<Superblock> read_superblock(const storage::File& file);
/// Start of its slot in the file.
[[nodiscard]] constexpr std::uint64_t slot_begin_bytes(const Superblock& superblock) {
  return superblock.checkpoint % 2 * kSuperblockBytes;
}
/// Writes it into its slot. Durable after a sync of the file. Errors: kIo, kNoSpace.
[[nodiscard]] Status write_superblock(storage::File& file, const Superblock& superblock);

}  // namespace dgfs::delta
