// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The manifest of a delta: the file with both slots. The checksum of each is made to fit.
#include <algorithm>

#include "delta/store/directory/manifest.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "storage/memory/env.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

using delta::kManifestSlotBytes;

void fit_checksum(MutableBytes slot) {
  format::store(slot, kManifestSlotBytes - 8,
                format::checksum64(Bytes(slot).first(kManifestSlotBytes - 8)));
}

void check_manifest(const delta::Manifest& manifest) {
  require(!manifest.stores.empty() && manifest.stores.size() <= delta::kStoresMax);
  for (std::size_t i = 1; i < manifest.stores.size(); ++i) {
    require(manifest.stores[i - 1].number < manifest.stores[i].number);
    require(manifest.stores[i - 1].born_object <= manifest.stores[i].born_object);
  }
  for (const auto& store : manifest.stores) require(store.name().size() == 4);
  const auto again = delta::decode_manifest(delta::encode_manifest(manifest));
  require(again && again.value() == manifest);
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs;
  using namespace dgfs::test;
  auto bytes = FuzzInput({data, size_bytes}).rest();
  bytes.resize(std::min(bytes.size(), 2 * kManifestSlotBytes));
  for (std::size_t at = 0; at + kManifestSlotBytes <= bytes.size(); at += kManifestSlotBytes) {
    fit_checksum(MutableBytes(bytes).subspan(at, kManifestSlotBytes));
  }
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
