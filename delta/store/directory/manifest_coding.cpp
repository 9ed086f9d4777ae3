// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/manifest_coding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

constexpr std::array<std::uint8_t, 8> kManifestMagic = {'D', 'G', 'F', 'S', 'M', 'A', 'N', 'I'};
constexpr std::size_t kStoresAt = 72;
constexpr std::size_t kStoreEntryBytes = 40;
static_assert(kStoresAt + kStoresMax * kStoreEntryBytes <= kManifestChecksumAt);

std::uint32_t version_of(Bytes bytes) { return format::load<std::uint32_t>(bytes, 8); }

Status check_version(Bytes bytes) {
  const auto version = version_of(bytes);
  const auto features = format::load<std::uint32_t>(bytes, 12);
  const bool is_known = (version == kFirstManifestVersion && features == 0) ||
                        (version == kStatesManifestVersion && (features & ~kManifestHasBase) == 0);
  if (is_known) return ok();
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

}  // namespace

std::string StackedStore::name() const { return fmt::format("{:04}", number); }

Buffer encode_manifest(const Manifest& manifest) {
  Buffer bytes;
  bytes.reserve(kManifestSlotBytes);
  Encoder out(bytes);
  out.raw(kManifestMagic);
  out.fixed(manifest.version);
  out.fixed(manifest.base ? kManifestHasBase : std::uint32_t{0});
  out.raw(manifest.delta);
  out.raw(manifest.image);
  out.fixed(manifest.generation);
  out.fixed(std::uint64_t{manifest.stores.size()});
  out.fixed(manifest.chunk_bytes);
  if (manifest.version == kStatesManifestVersion) {
    encode_states(manifest, bytes);
    return bytes;
  }
  for (const StackedStore& store : manifest.stores) {
    out.fixed(store.number);
    out.raw(store.uuid);
    out.fixed(store.born_object);
    out.fixed(store.first_sequence);
  }
  bytes.resize(kManifestSlotBytes);
  store_manifest_checksum(bytes, kManifestChecksumAt);
  return bytes;
}

Result<Manifest> decode_manifest(Bytes bytes) {
  if (bytes.size() < kManifestSlotBytes ||
      !std::equal(kManifestMagic.begin(), kManifestMagic.end(), bytes.begin())) {
    return bad_manifest(7136, "not the manifest of a delta");
  }
  // A later version may have its checksum elsewhere.
  DGFS_CHECK(check_version(bytes));
  Manifest manifest;
  manifest.version = version_of(bytes);
  if (bytes.size() != manifest.slot_bytes()) {
    return bad_manifest(7505, "not as long as a slot of its version");
  }
  if (!has_manifest_checksum(bytes, manifest.slot_bytes() - 8)) {
    return bad_manifest(7137, "checksum mismatch");
  }
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
  if (manifest.version == kStatesManifestVersion) {
    if (!has_manifest_checksum(bytes, kManifestChecksumAt))
      return bad_manifest(7506, "checksum mismatch of the first page");
    DGFS_CHECK(decode_states(bytes, in, count, manifest));
    return manifest;
  }
  if (count == 0 || count > kStoresMax) return bad_manifest(7138, "an impossible number of stores");
  for (std::uint64_t i = 0; i < count; ++i) {
    DGFS_TRY(store, decode_store(in));
    manifest.stores.push_back(store);
  }
  DGFS_CHECK(check_order(manifest.stores));
  const auto rest = bytes.first(kManifestChecksumAt)
                        .subspan(kStoresAt + static_cast<std::size_t>(count) * kStoreEntryBytes);
  if (!are_zeros(rest)) {
    return bad_manifest(7139, "bytes after the last store");
  }
  return manifest;
}

}  // namespace dgfs::delta
