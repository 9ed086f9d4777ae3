// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The manifest of a delta: the image that it belongs to, and the stores that make it up, one on the
// other. The file "MANIFEST" has two slots of 4 KiB. A change writes one slot, and when that is
// durable the other one, too: so either slot may be lost, and no stack of before comes back.
//
//   0    8  magic "DGFSMANI"
//   8    4  version, 2
//   12   4  features, 0: others are refused
//   16   16 UUID of the delta
//   32   16 UUID of the image
//   48   8  generation: how often a slot has been written; the slot is its remainder by 2
//   56   8  number of stores, 1 to 100
//   64   8  length of the chunks of contents: a power of two, 512 to 1,048,576
//   72      stores from the oldest to the newest, 40 bytes each: number, rising, 1 to 9999; UUID;
//           born object; first sequence number. Neither of the last two falls.
//           then zeros
//   4088 8  XXH3 of what precedes
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/log/group.h"
#include "format/header/uuid.h"
#include "storage/file.h"

namespace dgfs::delta {

inline constexpr std::size_t kManifestSlotBytes = 4096;
inline constexpr std::size_t kStoresMax = 100;

/// Of a piece of a file that has a record of its own, in bytes, where nobody says another length.
inline constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 10;
/// Length that chunks of a delta may have.
[[nodiscard]] constexpr bool is_chunk_length(std::uint64_t bytes) {
  return bytes >= 512 && bytes <= std::uint64_t{1} << 20 && (bytes & (bytes - 1)) == 0;
}

/// A store of a stack. A value.
struct StackedStore {
  std::uint64_t number = 1;  ///< names its directory
  StoreUuid uuid{};
  std::uint64_t born_object = 0;     ///< nothing below the store has one as high
  std::uint64_t first_sequence = 1;  ///< of its first batch; stores below have lower ones

  /// "0001".
  [[nodiscard]] std::string name() const;

  friend bool operator==(const StackedStore&, const StackedStore&) = default;
};

/// A value.
struct Manifest {
  format::Uuid delta{};
  format::Uuid image{};  ///< that the delta belongs to
  std::uint64_t generation = 1;
  std::vector<StackedStore> stores;         ///< from the oldest to the newest; never empty
  std::uint64_t chunk_bytes = kChunkBytes;  ///< for ever

  /// Whether both say the same, whichever slot they are for.
  [[nodiscard]] bool says_the_same(const Manifest& other) const {
    return delta == other.delta && image == other.image && stores == other.stores &&
           chunk_bytes == other.chunk_bytes;
  }

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// kManifestSlotBytes.
[[nodiscard]] Buffer encode_manifest(const Manifest& manifest);
/// Errors: kCorrupt, kUnsupported.
[[nodiscard]] Result<Manifest> decode_manifest(Bytes bytes);

/// The newest of both slots that is whole. Errors: kIo; kCorrupt if none is, or they are of
/// different deltas; kUnsupported if one is of another version.
[[nodiscard]] Result<Manifest> read_manifest(const storage::File& file);
/// How many of the two slots are whole. Errors: kIo.
[[nodiscard]] Result<unsigned> count_whole_slots(const storage::File& file);
/// Writes it into its slot, durably. Errors: kIo, kNoSpace.
[[nodiscard]] Status write_manifest(storage::File& file, const Manifest& manifest);
/// Writes it into its slot, and then the same as the next generation into the other one, which it
/// becomes. Errors: kIo, kNoSpace; the file has what it had, or this.
[[nodiscard]] Status write_both_slots(storage::File& file, Manifest& manifest);

}  // namespace dgfs::delta
