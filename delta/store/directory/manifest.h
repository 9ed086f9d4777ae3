// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The manifest of a delta: the image that it belongs to, and the stores of its stack. The file
// "MANIFEST" has two slots. A change writes one slot durably, and then the other one too: so losing
// either slot never brings back an earlier stack. A new delta has version 2; the first seal
// replaces the file by one of version 3, which also knows states.
//
// Version 2, slots of 4 KiB:
//
//   0    8  magic "DGFSMANI"
//   8    4  version
//   12   4  features: 1, in version 3, there is a base; others are refused
//   16   16 UUID of the delta
//   32   16 UUID of the image
//   48   8  generation: how often a slot has been written; modulo 2 the number of its slot
//   56   8  number of stores, 1 to 100
//   64   8  length of the chunks of contents: a power of two, 512 to 1,048,576
//   72      stores from the oldest to the newest, 40 bytes each: number, rising, 1 to 9999; UUID;
//           born object; first sequence number; these two never fall.
//           then zeros
//   4088 8  XXH3 of all bytes before
//
// Version 3, slots of 16 KiB:
//
//   0       as in version 2, with 1 to 64 stores
//   72   8  number of the directory of the next store, above all numbers in use
//   80   8  number of absorbed states, 0 to 64
//   88   8  length of the image's path, 0 to 1024
//   96      absorbed states, 16 bytes each, then zeros
//   1120    path of the image when it was last mounted with the delta, then zeros: only a hint
//   2144    the base, 664 bytes, or zeros if there is none:
//           0    8  number in the names of its files, above those of all earlier bases
//           8    16 UUID
//           24   16 id of the state that it equals, which is the state below the oldest store
//           40   8  end of the image: no object of the delta's own image has this number or a
//                   higher one
//           48   8  end of all object numbers that the merged layers have reserved
//           56   12 time when the state was sealed
//           68   4  pins
//           72   8  length of the state's name, 0 to 64
//           80   64 the name, then zeros
//           144  8  number of earlier bases whose contents it needs, 0 to 64
//           152     their numbers, 8 bytes each, rising, then zeros
//   4088 8  XXH3 of all bytes before. Programs that know only version 2 look for it here, and say
//           that the delta is of another version, and not that it is damaged
//   4096    stores from the oldest to the newest, 176 bytes each:
//           0    8  number of its directory, in no order, never used again
//           8    16 UUID
//           24   16 id of the state; zeros for the newest store, which is none yet
//           40   16 id of the state below; zeros: the image alone
//           56   8  born object
//           64   8  end of objects: no object of the store has this number or a higher one
//           72   8  first sequence number
//           80   8  last sequence number
//           88   12 time of the seal: seconds, nanoseconds; it never falls
//           100  4  pins
//           104  8  length of the state's name, 0 to 64
//           112  64 the name, then zeros
//           Of the newest store, all from the end of objects on but the first sequence number is 0.
//           then zeros
//   16376 8 XXH3 of all bytes before
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/directory/base_facts.h"
#include "delta/store/directory/layer_facts.h"
#include "delta/store/log/group.h"
#include "format/header/uuid.h"
#include "storage/file.h"

namespace dgfs::delta {

inline constexpr std::uint32_t kFirstManifestVersion = 2;
inline constexpr std::uint32_t kStatesManifestVersion = 3;
/// Of version 2.
inline constexpr std::size_t kManifestSlotBytes = 4096;
/// Of version 3.
inline constexpr std::size_t kStatesManifestSlotBytes = 16384;
/// In version 2.
inline constexpr std::size_t kStoresMax = 100;
/// In version 3, with the newest.
inline constexpr std::size_t kStatesMax = 64;
/// The highest number of a store in version 2.
inline constexpr std::uint64_t kStoreNumberMax = 9999;
/// The same in version 3.
inline constexpr std::uint64_t kDirectoryNumberMax = std::uint64_t{1} << 48;
inline constexpr std::size_t kAbsorbedMax = 64;
inline constexpr std::size_t kImagePathBytesMax = 1024;

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
  LayerFacts layer = {};             ///< version 3; the newest store has only the state below

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
  std::uint32_t version = kFirstManifestVersion;
  // Version 3:
  std::uint64_t next_number = 0;  ///< of the directory of the next store
  std::vector<StateId> absorbed;  ///< states that are in the base by now, the newest last
  std::string image_path;         ///< where the image was last seen; empty: unknown
  std::optional<BaseFacts> base;  ///< below the stores; none: the image itself

  /// The image below the stores: the base, or the image of the delta.
  [[nodiscard]] const format::Uuid& bottom() const { return base ? base->uuid : image; }

  [[nodiscard]] std::size_t slot_bytes() const {
    return version == kFirstManifestVersion ? kManifestSlotBytes : kStatesManifestSlotBytes;
  }
  /// Whether both have the same content, apart from the generation.
  [[nodiscard]] bool says_the_same(const Manifest& other) const {
    return delta == other.delta && image == other.image && stores == other.stores &&
           chunk_bytes == other.chunk_bytes && version == other.version &&
           next_number == other.next_number && absorbed == other.absorbed &&
           image_path == other.image_path && base == other.base;
  }

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Returns Manifest::slot_bytes() bytes.
[[nodiscard]] Buffer encode_manifest(const Manifest& manifest);
/// Errors: kCorrupt (also if the length is not that of a slot of its version), kUnsupported.
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
