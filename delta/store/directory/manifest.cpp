// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "delta/store/directory/state_name.h"
#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

constexpr std::array<std::uint8_t, 8> kManifestMagic = {'D', 'G', 'F', 'S', 'M', 'A', 'N', 'I'};
constexpr std::size_t kManifestChecksumAt = kManifestSlotBytes - 8;
constexpr std::size_t kStoresAt = 72;
constexpr std::size_t kStoreEntryBytes = 40;
static_assert(kStoresAt + kStoresMax * kStoreEntryBytes <= kManifestChecksumAt);
// Of version 3.
constexpr std::size_t kAbsorbedAt = 96;
constexpr std::size_t kImagePathAt = kAbsorbedAt + kAbsorbedMax * sizeof(StateId);
constexpr std::size_t kLayersAt = 4096;
constexpr std::size_t kLayerEntryBytes = 176;
constexpr std::size_t kLayerNameAt = 112;
constexpr std::size_t kStatesChecksumAt = kStatesManifestSlotBytes - 8;
static_assert(kImagePathAt + kImagePathBytesMax <= kManifestChecksumAt);
static_assert(kLayersAt + kStatesMax * kLayerEntryBytes <= kStatesChecksumAt);
static_assert(kLayerNameAt + kStateNameBytesMax == kLayerEntryBytes);

Error bad_manifest(std::uint16_t code, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text).in_section("manifest");
}

std::uint64_t checksum_until(Bytes bytes, std::size_t end) {
  return format::checksum64(bytes.first(end));
}

bool has_checksum(Bytes bytes, std::size_t at = kManifestChecksumAt) {
  return bytes.size() >= at + 8 &&
         format::load<std::uint64_t>(bytes, at) == checksum_until(bytes, at);
}

std::uint32_t version_of(Bytes bytes) { return format::load<std::uint32_t>(bytes, 8); }

Status check_version(Bytes bytes) {
  const auto version = version_of(bytes);
  const auto features = format::load<std::uint32_t>(bytes, 12);
  const bool is_known = version == kFirstManifestVersion || version == kStatesManifestVersion;
  if (is_known && features == 0) return ok();
  return Error(ErrorKind::kUnsupported, 7133,
               fmt::format("the manifest has version {} and features {:x}, which this program does "
                           "not know",
                           version, features))
      .in_section("manifest");
}

bool are_zeros(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
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

Result<Slot> read_slot(const storage::File& file, std::uint64_t number, std::size_t slot_bytes) {
  Buffer bytes(slot_bytes);
  DGFS_TRY(count, file.read_at(number * slot_bytes, bytes));
  bytes.resize(count);
  Slot slot;
  auto found = decode_manifest(bytes);
  if (!found && found.error().kind() == ErrorKind::kUnsupported) {
    auto error = std::move(found).error().in_file(file.path()).at_offset(number * slot_bytes);
    if (has_checksum(bytes)) return error;
    slot.foreign = std::move(error);
  }
  if (found && found.value().generation % 2 == number) slot.manifest = std::move(found).value();
  return slot;
}

struct Slots {
  Slot first;
  Slot second;

  [[nodiscard]] unsigned whole() const {
    return unsigned{first.manifest.has_value()} + unsigned{second.manifest.has_value()};
  }
};

Result<Slots> read_slots(const storage::File& file, std::size_t slot_bytes) {
  DGFS_TRY(first, read_slot(file, 0, slot_bytes));
  DGFS_TRY(second, read_slot(file, 1, slot_bytes));
  return Slots{std::move(first), std::move(second)};
}

// A file has slots of one version only.
Result<Slots> read_slots(const storage::File& file) {
  DGFS_TRY(slots, read_slots(file, kStatesManifestSlotBytes));
  if (slots.whole() != 0) return std::move(slots);
  return read_slots(file, kManifestSlotBytes);
}

void encode_layers(const Manifest& manifest, Buffer& bytes) {
  bytes.resize(kLayersAt);
  Encoder out(bytes);
  for (const StackedStore& store : manifest.stores) {
    const LayerFacts& layer = store.layer;
    out.fixed(store.number);
    out.raw(store.uuid);
    out.raw(layer.state);
    out.raw(layer.parent);
    out.fixed(store.born_object);
    out.fixed(layer.end_of_objects);
    out.fixed(store.first_sequence);
    out.fixed(layer.last_sequence);
    out.fixed(layer.sealed_at.seconds);
    out.fixed(layer.sealed_at.nanoseconds);
    out.fixed(layer.pins);
    out.fixed(std::uint64_t{layer.name.size()});
    out.raw(as_bytes(layer.name));
    bytes.resize(bytes.size() + kStateNameBytesMax - layer.name.size());
  }
}

// The rest of the first page.
void encode_states(const Manifest& manifest, Buffer& bytes) {
  {
    Encoder out(bytes);
    out.fixed(manifest.next_number);
    out.fixed(std::uint64_t{manifest.absorbed.size()});
    out.fixed(std::uint64_t{manifest.image_path.size()});
    for (const StateId& state : manifest.absorbed) out.raw(state);
  }
  bytes.resize(kImagePathAt);
  Encoder(bytes).raw(as_bytes(manifest.image_path));
  bytes.resize(kManifestSlotBytes);
  format::store(MutableBytes(bytes), kManifestChecksumAt,
                checksum_until(bytes, kManifestChecksumAt));
  encode_layers(manifest, bytes);
  bytes.resize(kStatesManifestSlotBytes);
  format::store(MutableBytes(bytes), kStatesChecksumAt, checksum_until(bytes, kStatesChecksumAt));
}

Result<StackedStore> decode_layer(Bytes bytes) {
  StackedStore store;
  Decoder in(bytes);
  DGFS_TRY(number, in.fixed<std::uint64_t>());
  store.number = number;
  for (auto* id : {&store.uuid, &store.layer.state, &store.layer.parent}) {
    DGFS_TRY(raw, in.raw(id->size()));
    std::copy(raw.begin(), raw.end(), id->begin());
  }
  for (auto* field : {&store.born_object, &store.layer.end_of_objects, &store.first_sequence,
                      &store.layer.last_sequence}) {
    DGFS_TRY(value, in.fixed<std::uint64_t>());
    *field = value;
  }
  DGFS_TRY(seconds, in.fixed<std::int64_t>());
  DGFS_TRY(nanoseconds, in.fixed<std::uint32_t>());
  DGFS_TRY(pins, in.fixed<std::uint32_t>());
  DGFS_TRY(name_bytes, in.fixed<std::uint64_t>());
  if (nanoseconds >= kNsPerSecond) return bad_manifest(7488, "an impossible time of a seal");
  store.layer.sealed_at = {seconds, nanoseconds};
  store.layer.pins = pins;
  const auto name = bytes.subspan(kLayerNameAt);
  if (name_bytes > kStateNameBytesMax) return bad_manifest(7489, "an impossible name of a state");
  store.layer.name = as_text(name.first(static_cast<std::size_t>(name_bytes)));
  if (!are_zeros(name.subspan(static_cast<std::size_t>(name_bytes)))) {
    return bad_manifest(7490, "bytes after the name of a state");
  }
  return store;
}

Status check_layer(const StackedStore& store, const StackedStore& above) {
  const LayerFacts& layer = store.layer;
  if (is_base(layer.state)) return bad_manifest(7491, "a layer without a state");
  if (above.layer.parent != layer.state) {
    return bad_manifest(7492, "a store is not over the state below it");
  }
  if (layer.end_of_objects < store.born_object || layer.end_of_objects > above.born_object) {
    return bad_manifest(7493, "the objects of a layer do not end before those of the next");
  }
  if (layer.last_sequence + 1 < store.first_sequence ||
      layer.last_sequence >= above.first_sequence) {
    return bad_manifest(7494, "the batches of a layer do not end before those of the next");
  }
  if (!layer.name.empty() && !is_state_name(layer.name)) {
    return bad_manifest(7495, "an impossible name of a state");
  }
  return ok();
}

Status check_layers(const Manifest& manifest) {
  std::set<std::uint64_t> numbers;
  std::set<StateId> states;
  std::set<std::string> names;
  if (manifest.next_number == 0 || manifest.next_number > kDirectoryNumberMax) {
    return bad_manifest(7496, "an impossible number of the next directory");
  }
  for (std::size_t i = 0; i < manifest.stores.size(); ++i) {
    const StackedStore& store = manifest.stores[i];
    const LayerFacts& layer = store.layer;
    if (store.number == 0 || store.number >= manifest.next_number ||
        !numbers.insert(store.number).second) {
      return bad_manifest(7497, "an impossible number of a directory");
    }
    if (store.first_sequence == 0) return bad_manifest(7498, "batch numbers start at 1");
    if (i + 1 == manifest.stores.size()) {
      LayerFacts live;
      live.parent = layer.parent;
      if (layer != live) return bad_manifest(7499, "the newest store has the facts of a layer");
      break;
    }
    DGFS_CHECK(check_layer(store, manifest.stores[i + 1]));
    if (!states.insert(layer.state).second ||
        (!layer.name.empty() && !names.insert(layer.name).second)) {
      return bad_manifest(7500, "two states have one id or one name");
    }
    if (i != 0 && layer.sealed_at < manifest.stores[i - 1].layer.sealed_at) {
      return bad_manifest(7501, "the times of states fall");
    }
  }
  return ok();
}

// @param in  behind the length of chunks
Status decode_states(Bytes bytes, Decoder& in, std::uint64_t count, Manifest& manifest) {
  if (count == 0 || count > kStatesMax) {
    return bad_manifest(7502, "an impossible number of stores");
  }
  DGFS_TRY(next_number, in.fixed<std::uint64_t>());
  DGFS_TRY(absorbed, in.fixed<std::uint64_t>());
  DGFS_TRY(path_bytes, in.fixed<std::uint64_t>());
  manifest.next_number = next_number;
  if (absorbed > kAbsorbedMax || path_bytes > kImagePathBytesMax) {
    return bad_manifest(7503, "too many absorbed states, or too long a path of the image");
  }
  for (std::uint64_t i = 0; i < absorbed; ++i) {
    DGFS_TRY(raw, in.raw(sizeof(StateId)));
    StateId state{};
    std::copy(raw.begin(), raw.end(), state.begin());
    manifest.absorbed.push_back(state);
  }
  const auto path = bytes.subspan(kImagePathAt, static_cast<std::size_t>(path_bytes));
  manifest.image_path = as_text(path);
  const auto absorbed_end = kAbsorbedAt + static_cast<std::size_t>(absorbed) * sizeof(StateId);
  const auto path_end = kImagePathAt + static_cast<std::size_t>(path_bytes);
  const auto layers_end = kLayersAt + static_cast<std::size_t>(count) * kLayerEntryBytes;
  if (!are_zeros(bytes.subspan(absorbed_end, kImagePathAt - absorbed_end)) ||
      !are_zeros(bytes.subspan(path_end, kManifestChecksumAt - path_end)) ||
      !are_zeros(bytes.subspan(layers_end, kStatesChecksumAt - layers_end))) {
    return bad_manifest(7504, "bytes after the last state, path or store");
  }
  for (std::size_t at = kLayersAt; at < layers_end; at += kLayerEntryBytes) {
    DGFS_TRY(store, decode_layer(bytes.subspan(at, kLayerEntryBytes)));
    manifest.stores.push_back(std::move(store));
  }
  return check_layers(manifest);
}

}  // namespace

std::string StackedStore::name() const { return fmt::format("{:04}", number); }

Buffer encode_manifest(const Manifest& manifest) {
  Buffer bytes;
  bytes.reserve(kManifestSlotBytes);
  Encoder out(bytes);
  out.raw(kManifestMagic);
  out.fixed(manifest.version);
  out.fixed(std::uint32_t{0});
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
  format::store(MutableBytes(bytes), kManifestChecksumAt,
                checksum_until(bytes, kManifestChecksumAt));
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
  if (!has_checksum(bytes, manifest.slot_bytes() - 8)) {
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
    if (!has_checksum(bytes)) return bad_manifest(7506, "checksum mismatch of the first page");
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

Result<Manifest> read_manifest(const storage::File& file) {
  DGFS_TRY(slots, read_slots(file));
  auto& first = slots.first.manifest;
  auto& second = slots.second.manifest;
  if (!first && !second) {
    for (const auto& foreign : {slots.first.foreign, slots.second.foreign}) {
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
  DGFS_TRY(slots, read_slots(file));
  return slots.whole();
}

Status write_manifest(storage::File& file, const Manifest& manifest) {
  DGFS_CHECK(
      file.write_at(manifest.generation % 2 * manifest.slot_bytes(), encode_manifest(manifest)));
  return file.sync();
}

Status write_both_slots(storage::File& file, Manifest& manifest) {
  DGFS_CHECK(write_manifest(file, manifest));
  ++manifest.generation;
  return write_manifest(file, manifest);
}

}  // namespace dgfs::delta
