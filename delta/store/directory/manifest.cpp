// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

constexpr std::array<std::uint8_t, 8> kManifestMagic = {'D', 'G', 'F', 'S', 'M', 'A', 'N', 'I'};
constexpr std::uint32_t kManifestVersion = 2;
constexpr std::size_t kManifestChecksumAt = kManifestSlotBytes - 8;
constexpr std::size_t kStoresAt = 72;
constexpr std::size_t kStoreEntryBytes = 40;
static_assert(kStoresAt + kStoresMax * kStoreEntryBytes <= kManifestChecksumAt);

Error bad_manifest(std::uint16_t code, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text).in_section("manifest");
}

std::uint64_t checksum_of_slot(Bytes bytes) {
  return format::checksum64(bytes.first(kManifestChecksumAt));
}

bool has_checksum(Bytes bytes) {
  return format::load<std::uint64_t>(bytes, kManifestChecksumAt) == checksum_of_slot(bytes);
}

Status check_version(Bytes bytes) {
  const auto version = format::load<std::uint32_t>(bytes, 8);
  const auto features = format::load<std::uint32_t>(bytes, 12);
  if (version == kManifestVersion && features == 0) return ok();
  return Error(ErrorKind::kUnsupported, 7133,
               fmt::format("the manifest has version {} and features {:x}, which this program does "
                           "not know",
                           version, features))
      .in_section("manifest");
}

Result<StackedStore> decode_store(Decoder& in) {
  StackedStore store;
  DGFS_TRY(number, in.fixed<std::uint64_t>());
  DGFS_TRY(uuid, in.raw(store.uuid.size()));
  DGFS_TRY(born_object, in.fixed<std::uint64_t>());
  DGFS_TRY(first_sequence, in.fixed<std::uint64_t>());
  std::copy(uuid.begin(), uuid.end(), store.uuid.begin());
  store.number = number;
  store.born_object = born_object;
  store.first_sequence = first_sequence;
  return store;
}

Status check_order(const std::vector<StackedStore>& stores) {
  StackedStore below{0, {}, 0, 1};
  for (const StackedStore& store : stores) {
    if (store.number <= below.number || store.number > kStoreNumberMax) {
      return bad_manifest(7134, "store numbers do not rise from 1 to 9999");
    }
    if (store.born_object < below.born_object || store.first_sequence < below.first_sequence) {
      return bad_manifest(7135, "a store begins before the one below it");
    }
    below = store;
  }
  return ok();
}

struct Slot {
  std::optional<Manifest> manifest;  ///< none: the slot is not valid
  /// It says that it is of another version, and its checksum does not fit: damage, or a version
  /// whose checksum is elsewhere.
  std::optional<Error> foreign;
};

Result<Slot> read_slot(const storage::File& file, std::uint64_t number) {
  Buffer bytes(kManifestSlotBytes);
  DGFS_TRY(count, file.read_at(number * kManifestSlotBytes, bytes));
  bytes.resize(count);
  Slot slot;
  auto found = decode_manifest(bytes);
  if (!found && found.error().kind() == ErrorKind::kUnsupported) {
    auto error =
        std::move(found).error().in_file(file.path()).at_offset(number * kManifestSlotBytes);
    if (has_checksum(bytes)) return error;
    slot.foreign = std::move(error);
  }
  if (found && found.value().generation % 2 == number) slot.manifest = std::move(found).value();
  return slot;
}

}  // namespace

std::string StackedStore::name() const { return fmt::format("{:04}", number); }

Buffer encode_manifest(const Manifest& manifest) {
  Buffer bytes;
  bytes.reserve(kManifestSlotBytes);
  Encoder out(bytes);
  out.raw(kManifestMagic);
  out.fixed(kManifestVersion);
  out.fixed(std::uint32_t{0});
  out.raw(manifest.delta);
  out.raw(manifest.image);
  out.fixed(manifest.generation);
  out.fixed(std::uint64_t{manifest.stores.size()});
  out.fixed(manifest.chunk_bytes);
  for (const StackedStore& store : manifest.stores) {
    out.fixed(store.number);
    out.raw(store.uuid);
    out.fixed(store.born_object);
    out.fixed(store.first_sequence);
  }
  bytes.resize(kManifestSlotBytes);
  format::store(MutableBytes(bytes), kManifestChecksumAt, checksum_of_slot(bytes));
  return bytes;
}

Result<Manifest> decode_manifest(Bytes bytes) {
  if (bytes.size() != kManifestSlotBytes ||
      !std::equal(kManifestMagic.begin(), kManifestMagic.end(), bytes.begin())) {
    return bad_manifest(7136, "not the manifest of a delta");
  }
  // A later version may have its checksum elsewhere.
  DGFS_CHECK(check_version(bytes));
  if (!has_checksum(bytes)) return bad_manifest(7137, "checksum mismatch");
  Manifest manifest;
  Decoder in(bytes.first(kManifestChecksumAt).subspan(16));
  DGFS_TRY(delta, in.raw(manifest.delta.size()));
  DGFS_TRY(image, in.raw(manifest.image.size()));
  DGFS_TRY(generation, in.fixed<std::uint64_t>());
  DGFS_TRY(count, in.fixed<std::uint64_t>());
  DGFS_TRY(chunk_bytes, in.fixed<std::uint64_t>());
  std::copy(delta.begin(), delta.end(), manifest.delta.begin());
  std::copy(image.begin(), image.end(), manifest.image.begin());
  manifest.generation = generation;
  manifest.chunk_bytes = chunk_bytes;
  if (!is_chunk_length(chunk_bytes)) {
    return bad_manifest(7165, "an impossible length of chunks");
  }
  if (count == 0 || count > kStoresMax) return bad_manifest(7138, "an impossible number of stores");
  for (std::uint64_t i = 0; i < count; ++i) {
    DGFS_TRY(store, decode_store(in));
    manifest.stores.push_back(store);
  }
  DGFS_CHECK(check_order(manifest.stores));
  const auto rest = bytes.first(kManifestChecksumAt)
                        .subspan(kStoresAt + static_cast<std::size_t>(count) * kStoreEntryBytes);
  if (std::any_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte != 0; })) {
    return bad_manifest(7139, "bytes after the last store");
  }
  return manifest;
}

Result<Manifest> read_manifest(const storage::File& file) {
  DGFS_TRY(slot0, read_slot(file, 0));
  DGFS_TRY(slot1, read_slot(file, 1));
  auto& first = slot0.manifest;
  auto& second = slot1.manifest;
  if (!first && !second) {
    for (const auto& foreign : {slot0.foreign, slot1.foreign}) {
      if (foreign) return *foreign;
    }
    return bad_manifest(7140, "neither of the two slots is whole").in_file(file.path());
  }
  if (!first || !second) return first ? std::move(*first) : std::move(*second);
  if (first->delta != second->delta || first->image != second->image) {
    return bad_manifest(7141, "the two slots are of different deltas").in_file(file.path());
  }
  return first->generation > second->generation ? std::move(*first) : std::move(*second);
}

Result<unsigned> count_whole_slots(const storage::File& file) {
  DGFS_TRY(first, read_slot(file, 0));
  DGFS_TRY(second, read_slot(file, 1));
  return unsigned{first.manifest.has_value()} + unsigned{second.manifest.has_value()};
}

Status write_manifest(storage::File& file, const Manifest& manifest) {
  DGFS_CHECK(
      file.write_at(manifest.generation % 2 * kManifestSlotBytes, encode_manifest(manifest)));
  return file.sync();
}

Status write_both_slots(storage::File& file, Manifest& manifest) {
  DGFS_CHECK(write_manifest(file, manifest));
  ++manifest.generation;
  return write_manifest(file, manifest);
}

}  // namespace dgfs::delta
