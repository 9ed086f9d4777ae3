// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The manifest of a delta: the image that it belongs to, and the stores of its stack. The file
// "MANIFEST" has two slots of 4 KiB. A change writes one slot durably, and then the other one too:
// so losing either slot never brings back an earlier stack.
//
//   0    8  magic "DGFSMANI"
//   8    4  version, 2
//   12   4  features, 0: others are refused
//   16   16 UUID of the delta
//   32   16 UUID of the image
//   48   8  generation: how often a slot has been written; modulo 2 the number of its slot
//   56   8  number of stores, 1 to 100
//   64   8  length of the chunks of contents: a power of two, 512 to 1,048,576
//   72      stores from the oldest to the newest, 40 bytes each: number, rising, 1 to 9999; UUID;
//           born object; first sequence number; these two never fall.
//           then zeros
//   4088 8  XXH3 of all bytes before
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
/// The highest number of a store: names of stores have four digits.
inline constexpr std::uint64_t kStoreNumberMax = 9999;

/// Default length of a chunk: a piece of a file that has a record of its own.
inline constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 10;
/// Whether chunks of a delta may have this length.
[[nodiscard]] constexpr bool is_chunk_length(std::uint64_t bytes) {
  return bytes >= 512 && bytes <= std::uint64_t{1} << 20 && (bytes & (bytes - 1)) == 0;
}

/// A store of a stack. A value.
struct StackedStore {
  std::uint64_t number = 1;  ///< names its directory
  StoreUuid uuid{};
  std::uint64_t born_object = 0;     ///< above every object number below the store
  std::uint64_t first_sequence = 1;  ///< of its first batch, above those of the stores below

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
  std::uint64_t chunk_bytes = kChunkBytes;  ///< fixed for ever

  /// Whether both have the same content, apart from the generation.
  [[nodiscard]] bool says_the_same(const Manifest& other) const {
    return delta == other.delta && image == other.image && stores == other.stores &&
           chunk_bytes == other.chunk_bytes;
  }

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Returns kManifestSlotBytes bytes.
[[nodiscard]] Buffer encode_manifest(const Manifest& manifest);
/// Errors: kCorrupt, kUnsupported.
[[nodiscard]] Result<Manifest> decode_manifest(Bytes bytes);

/// The newest valid slot. Errors: kIo; kCorrupt if none is valid, or they belong to different
/// deltas; kUnsupported if one is of another version, as its checksum confirms or because the other
/// one is not valid either.
[[nodiscard]] Result<Manifest> read_manifest(const storage::File& file);
/// How many of the two slots are valid. Errors: kIo.
[[nodiscard]] Result<unsigned> count_whole_slots(const storage::File& file);
/// Writes it into its slot, durably. Errors: kIo, kNoSpace.
[[nodiscard]] Status write_manifest(storage::File& file, const Manifest& manifest);
/// Writes it into its slot, and then into the other one with the next generation, which `manifest`
/// gets. Errors: kIo, kNoSpace; afterwards the file has the old content or the new one.
[[nodiscard]] Status write_both_slots(storage::File& file, Manifest& manifest);

}  // namespace dgfs::delta
