// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "delta/store/directory/manifest_coding.h"
#include "delta/store/directory/state_name.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

constexpr std::size_t kAbsorbedAt = 96;
constexpr std::size_t kImagePathAt = kAbsorbedAt + kAbsorbedMax * sizeof(StateId);
constexpr std::size_t kBaseAt = kImagePathAt + kImagePathBytesMax;
constexpr std::size_t kLayersAt = 4096;
constexpr std::size_t kLayerEntryBytes = 176;
constexpr std::size_t kLayerNameAt = 112;
static_assert(kBaseAt + kBaseBytes <= kManifestChecksumAt);
static_assert(kLayersAt + kStatesMax * kLayerEntryBytes <= kStatesChecksumAt);
static_assert(kLayerNameAt + kStateNameBytesMax == kLayerEntryBytes);

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

}  // namespace

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
  bytes.resize(kBaseAt);
  if (manifest.base) encode_base(*manifest.base, bytes);
  bytes.resize(kManifestSlotBytes);
  store_manifest_checksum(bytes, kManifestChecksumAt);
  encode_layers(manifest, bytes);
  bytes.resize(kStatesManifestSlotBytes);
  store_manifest_checksum(bytes, kStatesChecksumAt);
}

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
  const bool has_base = (format::load<std::uint32_t>(bytes, 12) & kManifestHasBase) != 0;
  const auto base_end = has_base ? kBaseAt + kBaseBytes : kBaseAt;
  if (!are_zeros(bytes.subspan(absorbed_end, kImagePathAt - absorbed_end)) ||
      !are_zeros(bytes.subspan(path_end, kBaseAt - path_end)) ||
      !are_zeros(bytes.subspan(base_end, kManifestChecksumAt - base_end)) ||
      !are_zeros(bytes.subspan(layers_end, kStatesChecksumAt - layers_end))) {
    return bad_manifest(7504, "bytes after the last state, path or store");
  }
  for (std::size_t at = kLayersAt; at < layers_end; at += kLayerEntryBytes) {
    DGFS_TRY(store, decode_layer(bytes.subspan(at, kLayerEntryBytes)));
    manifest.stores.push_back(std::move(store));
  }
  DGFS_CHECK(check_layers(manifest));
  return has_base ? decode_base(bytes.subspan(kBaseAt, kBaseBytes), manifest) : ok();
}

}  // namespace dgfs::delta
