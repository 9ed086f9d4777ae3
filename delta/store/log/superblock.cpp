// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/log/superblock.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

constexpr std::array<std::uint8_t, 8> kSuperblockMagic = {'D', 'G', 'F', 'S', 'T', 'O', 'R', 'E'};
constexpr std::uint32_t kVersion = 6;
constexpr std::size_t kChecksumAt = kSuperblockBytes - 8;
// A feature: the store is sealed. Programs that do not know it refuse the store.
constexpr std::uint32_t kSealed = 1;
constexpr std::size_t kSealedMarkAt = 3072;

Error corrupt(std::uint16_t code, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text).in_section("superblock");
}

std::uint64_t checksum_of(Bytes bytes) { return format::checksum64(bytes.first(kChecksumAt)); }

bool has_checksum(Bytes bytes) {
  return format::load<std::uint64_t>(bytes, kChecksumAt) == checksum_of(bytes);
}

Status check_parameters(const StoreParameters& parameters) {
  constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 30;
  if (parameters.basement_bytes == 0 || parameters.basement_bytes > kBytesMax ||
      parameters.buffer_bytes == 0 || parameters.buffer_bytes > kBytesMax ||
      parameters.fanout < 2 || parameters.fanout > 1024 || parameters.segment_bytes == 0 ||
      parameters.segment_bytes % kGroupAlignmentBytes != 0 ||
      parameters.segment_bytes > 64 * kBytesMax) {
    return corrupt(7040, "impossible parameters");
  }
  return ok();
}

}  // namespace

Buffer encode_superblock(const Superblock& superblock) {
  Buffer bytes;
  bytes.reserve(kSuperblockBytes);
  Encoder out(bytes);
  out.raw(kSuperblockMagic);
  out.fixed(kVersion);
  out.fixed(superblock.sealed ? kSealed : std::uint32_t{0});
  out.raw(superblock.store);
  for (const std::uint64_t number : {superblock.parameters.basement_bytes,
                                     superblock.parameters.buffer_bytes,
                                     superblock.parameters.fanout,
                                     superblock.parameters.segment_bytes,
                                     superblock.parameters.inline_bytes,
                                     superblock.parameters.born_object,
                                     superblock.checkpoint,
                                     superblock.sequence,
                                     superblock.log.generation,
                                     superblock.log.number,
                                     superblock.log.previous,
                                     superblock.root.offset_bytes,
                                     superblock.root.length_bytes,
                                     superblock.root.checksum,
                                     std::uint64_t{superblock.log.is_end},
                                     superblock.filter.offset_bytes,
                                     superblock.filter.length_bytes,
                                     superblock.filter.checksum,
                                     superblock.space.blocks.offset_bytes,
                                     superblock.space.blocks.length_bytes,
                                     superblock.space.blocks.checksum,
                                     superblock.space.values.offset_bytes,
                                     superblock.space.values.length_bytes,
                                     superblock.space.values.checksum,
                                     superblock.identity,
                                     superblock.closed_at}) {
    out.fixed(number);
  }
  if (superblock.sealed) {
    bytes.resize(kSealedMarkAt);
    Encoder mark(bytes);
    mark.raw(superblock.sealed->state);
    mark.raw(superblock.sealed->parent);
  }
  bytes.resize(kSuperblockBytes);
  format::store(MutableBytes(bytes), kChecksumAt, checksum_of(bytes));
  return bytes;
}

Result<Superblock> decode_superblock(Bytes bytes) {
  if (bytes.size() != kSuperblockBytes ||
      !std::equal(kSuperblockMagic.begin(), kSuperblockMagic.end(), bytes.begin())) {
    return corrupt(7041, "not the superblock of a store");
  }
  // A later version may have its checksum elsewhere, so the version comes first.
  Decoder in(bytes.subspan(kSuperblockMagic.size()));
  DGFS_TRY(version, in.fixed<std::uint32_t>());
  DGFS_TRY(features, in.fixed<std::uint32_t>());
  if (version < kVersion) {
    return Error(ErrorKind::kUnsupported, 7096,
                 "the store is of version " + std::to_string(version) +
                     ", which this program no longer reads")
        .in_section("superblock");
  }
  if (version > kVersion || (features & ~kSealed) != 0) {
    return Error(ErrorKind::kUnsupported, 7043, "the store needs a newer program")
        .in_section("superblock");
  }
  if (!has_checksum(bytes)) return corrupt(7042, "checksum mismatch");
  Superblock superblock;
  DGFS_TRY(uuid, in.raw(superblock.store.size()));
  std::copy(uuid.begin(), uuid.end(), superblock.store.begin());
  for (std::uint64_t* number :
       {&superblock.parameters.basement_bytes, &superblock.parameters.buffer_bytes,
        &superblock.parameters.fanout, &superblock.parameters.segment_bytes,
        &superblock.parameters.inline_bytes, &superblock.parameters.born_object,
        &superblock.checkpoint, &superblock.sequence, &superblock.log.generation,
        &superblock.log.number, &superblock.log.previous, &superblock.root.offset_bytes,
        &superblock.root.length_bytes, &superblock.root.checksum}) {
    DGFS_TRY(value, in.fixed<std::uint64_t>());
    *number = value;
  }
  DGFS_TRY(is_end, in.fixed<std::uint64_t>());
  if (is_end > 1) return corrupt(7130, "the log has an invalid mark of its end");
  superblock.log.is_end = is_end == 1;
  for (Place* place : {&superblock.filter, &superblock.space.blocks, &superblock.space.values}) {
    for (std::uint64_t* number : {&place->offset_bytes, &place->length_bytes, &place->checksum}) {
      DGFS_TRY(value, in.fixed<std::uint64_t>());
      *number = value;
    }
  }
  DGFS_TRY(identity, in.fixed<std::uint64_t>());
  DGFS_TRY(closed_at, in.fixed<std::uint64_t>());
  superblock.identity = identity;
  if (closed_at > kClosedAtMax) return corrupt(7443, "the time of the last closing is too large");
  superblock.closed_at = closed_at;
  DGFS_CHECK(check_parameters(superblock.parameters));
  if ((features & kSealed) != 0) {
    if (!superblock.log.is_end) return corrupt(7507, "a sealed store with a log");
    SealedMark& mark = superblock.sealed.emplace();
    const auto ids = bytes.subspan(kSealedMarkAt);
    std::copy_n(ids.begin(), mark.state.size(), mark.state.begin());
    std::copy_n(ids.begin() + std::ssize(mark.state), mark.parent.size(), mark.parent.begin());
  }
  return superblock;
}

Result<Superblock> read_superblock(const storage::File& file) {
  Result<Superblock> newest = corrupt(7044, "neither of the two is whole").in_file(file.path());
  for (const std::uint64_t slot : {0U, 1U}) {
    Buffer bytes(kSuperblockBytes);
    DGFS_TRY(count, file.read_at(slot * kSuperblockBytes, bytes));
    bytes.resize(count);
    auto found = decode_superblock(bytes);
    if (!found && found.error().kind() == ErrorKind::kUnsupported) {
      // Without its checksum it may also be a damaged one, and the other one counts.
      if (has_checksum(bytes)) return std::move(found).error().in_file(file.path());
      if (!newest) newest = std::move(found).error().in_file(file.path());
    }
    if (found && (!newest || newest.value().checkpoint < found.value().checkpoint)) {
      newest = std::move(found);
    }
  }
  return newest;
}

Status write_superblock(storage::File& file, const Superblock& superblock) {
  return file.write_at(slot_begin_bytes(superblock), encode_superblock(superblock));
}

}  // namespace dgfs::delta
