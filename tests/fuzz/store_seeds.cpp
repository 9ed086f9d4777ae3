// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/fuzz/store_seeds.h"

#include <string>

#include "delta/store/directory/manifest.h"
#include "delta/store/disk/block_codec.h"
#include "delta/store/disk/free_space.h"
#include "delta/store/filter/filter_table.h"
#include "delta/store/filter/prefix_filter.h"
#include "delta/store/log/superblock.h"
#include "delta/store/run/memtable.h"
#include "delta/store/tree/node.h"
#include "tests/fuzz/seed_corpus.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint8_t kRun = 0;
constexpr std::uint8_t kNode = 1;
constexpr std::uint8_t kGroup = 2;
constexpr std::uint8_t kBlock = 3;
constexpr std::uint8_t kSuperblock = 4;
constexpr std::uint8_t kFreeSpace = 5;
constexpr std::uint8_t kRunBlock = 6;

Place place_of(std::uint64_t number) { return {number * 512, number % 4096 + 1, number * 977}; }

ValuePlace value_place_of(std::uint64_t number) {
  ValuePlace place{number * 512, number % 7 * 10000 + 1, {}};
  for (std::uint64_t at = 0; at < place.length_bytes; at += place.part_bytes()) {
    place.sums.push_back(number * 977 + at);
  }
  return place;
}

StoredRun stored_run(std::uint64_t number, std::size_t size_bytes) {
  std::vector<Extent> values;
  for (std::uint64_t i = 0; i < number % 3; ++i)
    values.push_back({(number + i) * 40960, 20000 + i});
  std::vector<RunPages::Page> pages;
  for (std::uint64_t i = 0; i < number % 4 && number % 4 > 1; ++i) {
    pages.push_back({i == 0 ? "" : "k" + std::to_string(i), i, 1, number, i == 1});
  }
  return std::make_shared<const TreeRun>(
      place_of(number), size_bytes,
      TreeRun::About{std::move(values), KeyFilter(Buffer(number % 5, 0x5a)), number % 7 == 0},
      RunPages(pages));
}

RunRef run_of(int count) {
  Batch batch;
  for (int i = 0; i < count; ++i) {
    const auto key = "directory/name" + std::to_string(i * 37 % 1000);
    switch (i % 6) {
      case 0:
        i % 4 == 0 ? batch.remove(key) : batch.erase(key);
        break;
      case 5:
        batch.patch(key, 20, "bytes that zeros take the place of");
        batch.zero(key, static_cast<std::uint64_t>(i % 30), 40);
        batch.change_field(key, {200, FieldOperation::kSignedMin, UINT64_MAX});
        batch.change_field(key, {208, FieldOperation::kMin, 7});
        batch.change_field(key, {216, FieldOperation::kSignedMax, 7});
        break;
      case 1:
        batch.patch(key, static_cast<std::uint64_t>(i), "four");
        batch.patch(key, static_cast<std::uint64_t>(i) + 100, "more");
        break;
      case 2:
        batch.change_field(key, {8, FieldOperation::kAdd, 1});
        batch.change_field(key, {16, FieldOperation::kMax, 1U << i % 30});
        break;
      case 3:
        batch.remove_range({key + "a", key + "b"});
        break;
      default:
        batch.put(key, std::string(static_cast<std::size_t>(i), 'v'));
    }
  }
  if (count % 2 == 1) batch.remove_range({"z", std::nullopt});
  for (std::uint64_t i = 0; i + 3 < static_cast<std::uint64_t>(count); i += 3) {
    const auto key = "large" + std::to_string(i);
    batch.add(
        PointChange{key, Message::put(std::make_shared<const LargeValue>(value_place_of(i)))});
    if (i % 2 == 0) batch.patch(key, i, "over it");
  }
  if (count > 10) {
    const auto large = std::make_shared<const LargeValue>(value_place_of(9));
    Message changed = Message::put("a value");
    changed.patch.add(LargePiece{10, large, 1, 100});
    changed.patch.add(LargePiece{300, large, 200, 100});
    batch.add(PointChange{"pieces", std::move(changed)});
  }
  Memtable table;
  table.apply(batch);
  return table.freeze();
}

Buffer node_of(unsigned height, std::uint64_t count) {
  std::vector<Slot> slots;
  for (std::uint64_t i = 0; i < count; ++i) {
    Slot slot;
    slot.low = "key" + std::to_string(100 + i);
    if (height > 0) {
      slot.child = std::make_shared<const Stored<Node>>(place_of(i), 100);
    } else if (i % 3 != 0) {
      slot.basement = stored_run(1000 + i, 4000);
    }
    for (std::uint64_t run = 0; run < i % 4; ++run) {
      slot.runs.push_back(stored_run(2000 + i * 8 + run, 300));
    }
    slots.push_back(std::move(slot));
  }
  Buffer bytes;
  Node(height, std::move(slots)).encode(bytes);
  return bytes;
}

}  // namespace

void add_store_seeds(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "store");
  for (const int count : {0, 1, 2, 5, 17, 40}) {
    const auto run = run_of(count);
    Buffer bytes;
    run->encode(bytes);
    corpus.add(bytes, kRun);
    for (const int level : {0, 1}) {
      BlockPacker packer(level);
      corpus.add(packer.pack(bytes).value(), kBlock);
      Buffer stored;
      static_cast<void>(pack_run(*run, 256, packer, stored).value());
      corpus.add(stored, kRunBlock);
    }
    GroupHeader header;
    header.generation = 3;
    header.number = static_cast<std::uint64_t>(count);
    corpus.add(encode_group(header, *run), kGroup);
  }
  for (const unsigned height : {0U, 1U, 2U}) {
    corpus.add(node_of(height, 1), kNode);
    corpus.add(node_of(height, 16), kNode);
  }
  Superblock superblock;
  superblock.checkpoint = 7;
  superblock.sequence = 1000;
  superblock.root = place_of(9);
  superblock.filter = place_of(10);
  superblock.space = {place_of(11), place_of(12)};
  corpus.add(encode_superblock(superblock), kSuperblock);
  std::vector<Extent> free;
  for (const std::uint64_t count : {0U, 1U, 3U, 100U}) {
    while (free.size() < count) free.push_back({free.size() * 512000 + 512, 512 * count});
    Buffer bytes;
    FreeSpace(count * 512000, free).encode(bytes);
    corpus.add(bytes, kFreeSpace);
  }
}

namespace {

// A file with one slot, and one with both.
void add_both_slots(Manifest manifest, SeedCorpus& corpus) {
  Buffer both = encode_manifest(manifest);
  corpus.add(both);
  ++manifest.generation;
  const Buffer second = encode_manifest(manifest);
  both.insert(both.end(), second.begin(), second.end());
  corpus.add(both);
}

void add_base(Manifest& manifest) {
  BaseFacts base;
  base.number = 80;
  base.uuid.fill(7);
  base.state.fill(0xb0);
  base.end_of_numbers = 500;
  base.sealed_at = {1'600'000'000, 5};
  base.name = "weekly-07";
  for (std::uint64_t i = 0; i < manifest.stores.size(); ++i) base.kept.push_back(i + 1);
  manifest.stores.front().layer.parent = base.state;
  manifest.base = base;
}

}  // namespace

void add_manifest_seeds(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "manifest");
  for (const std::size_t stores : {std::size_t{1}, std::size_t{2}, kStoresMax}) {
    Manifest manifest;
    manifest.generation = stores * 2;
    while (manifest.stores.size() < stores) {
      const std::uint64_t below = manifest.stores.size();
      manifest.stores.push_back({below + 1, {}, below * 1000, below * 10 + 1});
    }
    add_both_slots(manifest, corpus);
  }
  for (const std::size_t stores : {std::size_t{1}, std::size_t{3}, kStatesMax}) {
    Manifest manifest;
    manifest.version = kStatesManifestVersion;
    manifest.generation = stores * 2;
    manifest.next_number = 100;
    manifest.absorbed.resize(stores % 3);
    manifest.image_path = "/srv/crawl.dgfs";
    for (std::uint64_t i = 0; i < stores; ++i) {
      StackedStore store{90 - i, {}, i * 1000, i * 10 + 1};
      if (i != 0) store.layer.parent = manifest.stores.back().layer.state;
      if (i + 1 < stores) {
        store.layer.state.fill(static_cast<std::uint8_t>(i + 1));
        store.layer.end_of_objects = i * 1000 + 500;
        store.layer.last_sequence = i * 10 + 7;
        store.layer.sealed_at = {1'700'000'000, static_cast<std::uint32_t>(i)};
        if (i % 2 == 0) store.layer.name = "nightly-" + std::to_string(i);
      }
      manifest.stores.push_back(store);
    }
    add_both_slots(manifest, corpus);
    add_base(manifest);
    add_both_slots(manifest, corpus);
  }
}

// Each seed: the born object, the length of the table, the table, and the stages at multiples of
// 512.
void add_filter_seeds(const std::filesystem::path& folder) {
  SeedCorpus corpus(folder, "filter");
  for (const std::uint64_t prefixes : {0U, 20U, 100U, 300U}) {
    PrefixFilter filter(1000, 32);
    for (std::uint64_t object = 0; object < prefixes; ++object) {
      filter.add(ObjectPrefix{1, object * 3});
      if (object % 7 == 0) filter.add(KeyRange{object_key(2, object), object_key(2, object + 3)});
    }
    FilterTable table;
    Buffer stages;
    for (std::size_t at = 0; at < filter.stages(); ++at) {
      const auto& stage = filter.stage(at);
      const Buffer bits = stage.encode();
      table.stages.push_back({stage.capacity(), stage.count(), {stages.size(), bits.size(), 0}});
      stages.insert(stages.end(), bits.begin(), bits.end());
      stages.resize(static_cast<std::size_t>(padded_bytes(stages.size())));
    }
    if (filter.ranges()) table.ranges = filter.ranges()->all();
    Buffer bytes = encode_filter_table(table);
    const auto table_bytes = static_cast<std::uint16_t>(bytes.size());
    bytes.insert(bytes.end(), stages.begin(), stages.end());
    corpus.add(bytes, std::uint64_t{1000}, table_bytes);
  }
}

}  // namespace dgfs::test
