// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The manifest of a delta: the file with both slots. The checksum of each is made to fit.
#include <algorithm>

#include "delta/store/directory/manifest.h"
#include "delta/store/directory/states.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "storage/memory/env.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

using delta::kManifestSlotBytes;
using delta::kStatesManifestSlotBytes;

// Of all bytes before the last eight.
void fit_checksum(MutableBytes bytes) {
  format::store(bytes, bytes.size() - 8, format::checksum64(Bytes(bytes).first(bytes.size() - 8)));
}

// A file has slots of one version; the first slot says which.
void fit_checksums(MutableBytes file) {
  const bool has_states = file.size() >= kStatesManifestSlotBytes &&
                          format::load<std::uint32_t>(file, 8) == delta::kStatesManifestVersion;
  const auto slot_bytes = has_states ? kStatesManifestSlotBytes : kManifestSlotBytes;
  for (std::size_t at = 0; at + slot_bytes <= file.size(); at += slot_bytes) {
    fit_checksum(file.subspan(at, kManifestSlotBytes));
    if (has_states) fit_checksum(file.subspan(at, slot_bytes));
  }
}

void check_layers(const delta::Manifest& manifest) {
  require(manifest.stores.size() <= delta::kStatesMax);
  for (std::size_t i = 0; i < manifest.stores.size(); ++i) {
    const auto& store = manifest.stores[i];
    require(store.number != 0 && store.number < manifest.next_number);
    if (i + 1 == manifest.stores.size()) {
      require(delta::is_base(store.layer.state));
      break;
    }
    require(!delta::is_base(store.layer.state));
    require(store.layer.name.empty() || delta::is_state_name(store.layer.name));
    require(store.layer.last_sequence < manifest.stores[i + 1].first_sequence);
    require(delta::find_state(manifest, delta::state_text(store.layer.state), "/d").has_value());
    require(!delta::state_title(manifest, i + 1).empty());
  }
}

void check_base(const delta::Manifest& manifest) {
  const auto& base = *manifest.base;
  require(base.number != 0 && base.number < manifest.next_number);
  require(base.kept.size() <= delta::kKeptBasesMax);
  require(base.kept.empty() || base.kept.back() < base.number);
  require(!delta::is_base(base.state) && base.state == manifest.stores.front().layer.parent);
  require(base.name.empty() || delta::is_state_name(base.name));
  require(delta::find_state(manifest, delta::state_text(base.state), "/d").value() == 0);
  require(delta::state_title(manifest, 0) != delta::kBaseState);
}

void check_manifest(const delta::Manifest& manifest) {
  require(!manifest.stores.empty() && manifest.stores.size() <= delta::kStoresMax);
  for (std::size_t i = 1; i < manifest.stores.size(); ++i) {
    require(manifest.stores[i - 1].born_object <= manifest.stores[i].born_object);
    if (manifest.version != delta::kFirstManifestVersion) continue;
    require(manifest.stores[i - 1].number < manifest.stores[i].number);
  }
  if (manifest.version == delta::kFirstManifestVersion) {
    for (const auto& store : manifest.stores) require(store.name().size() == 4);
  } else {
    check_layers(manifest);
    if (manifest.base) check_base(manifest);
  }
  const auto again = delta::decode_manifest(delta::encode_manifest(manifest));
  require(again && again.value() == manifest);
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs;
  using namespace dgfs::test;
  auto bytes = FuzzInput({data, size_bytes}).rest();
  bytes.resize(std::min(bytes.size(), 2 * kStatesManifestSlotBytes));
  fit_checksums(bytes);
  const auto env = storage::make_memory_env(1);
  auto file = std::move(env->open("/m", {storage::OpenOptions::Mode::kCreateNew})).value();
  require(file->write_at(0, bytes).has_value());
  auto manifest = delta::read_manifest(*file);
  if (!manifest) return 0;
  check_manifest(manifest.value());
  ++manifest.value().generation;
  require(delta::write_both_slots(*file, manifest.value()).has_value());
  const auto again = delta::read_manifest(*file);
  require(again && again.value().says_the_same(manifest.value()));
  return 0;
}
