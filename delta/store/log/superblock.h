// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The superblock of a store: the state that its last checkpoint made durable. The file "store" has
// two slots of 4 KiB. Checkpoints write them in turn, so that a torn write leaves the superblock
// before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/disk/block_file.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/disk/space_maps.h"
#include "delta/store/log/log.h"

namespace dgfs::delta {

inline constexpr std::size_t kSuperblockBytes = 4096;
/// Of Superblock::closed_at: some 30,000 years.
inline constexpr std::uint64_t kClosedAtMax = std::uint64_t{1} << 40;

/// Of a store that is a layer: it has neither log nor reserve, and is only read. A value.
struct SealedMark {
  std::array<std::uint8_t, 16> state{};   ///< that the seal has made
  std::array<std::uint8_t, 16> parent{};  ///< the state below; zeros: the image alone

  friend bool operator==(const SealedMark&, const SealedMark&) = default;
};

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
  /// Of the files that the store had when this was written (store_identity()): a store with other
  /// files is a copy. 0: not known.
  std::uint64_t identity = 0;
  /// Of the last closing: the time that the files of blocks and large values get if nobody else
  /// has them open, in seconds since 1970. It is later than all writes, also on a file system that
  /// counts whole seconds, and rises with each closing. 0: none.
  std::uint64_t closed_at = 0;
  std::optional<SealedMark> sealed = std::nullopt;  ///< none: the store may be written to

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
