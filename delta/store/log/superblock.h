// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The superblock of a store: what its last checkpoint made durable. The file "store" has two slots
// of 4 KiB, which checkpoints write in turns, so that a torn one leaves the one before.
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
  std::uint64_t checkpoint = 0;  ///< how many there have been
  std::uint64_t sequence = 0;    ///< the last that the tree holds
  LogPosition log;               ///< from where on the log is to be replayed
  Place root;                    ///< of the tree
  Place filter;                  ///< table of the filter of objects; of length 0: it is empty
  SpaceMaps space;               ///< empty: the tree has to be walked

  friend bool operator==(const Superblock&, const Superblock&) = default;
};

/// kSuperblockBytes.
[[nodiscard]] Buffer encode_superblock(const Superblock& superblock);
/// Errors: kCorrupt, kUnsupported.
[[nodiscard]] Result<Superblock> decode_superblock(Bytes bytes);

/// The newest of both slots that is whole. Errors: kIo; kCorrupt if none is; kUnsupported if one is
/// of a newer version.
[[nodiscard]] Result<Superblock> read_superblock(const storage::File& file);
/// Where its slot begins in the file.
[[nodiscard]] constexpr std::uint64_t slot_begin_bytes(const Superblock& superblock) {
  return superblock.checkpoint % 2 * kSuperblockBytes;
}
/// Writes it into its slot. Durable after a sync of the file. Errors: kIo, kNoSpace.
[[nodiscard]] Status write_superblock(storage::File& file, const Superblock& superblock);

}  // namespace dgfs::delta
