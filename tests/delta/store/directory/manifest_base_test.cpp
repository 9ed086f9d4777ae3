// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Manifests of a delta that has a base.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "delta/store/directory/manifest.h"
#include "delta/store/directory/state_name.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "storage/memory/env.h"

namespace dgfs::test {
namespace {

using namespace delta;

// As documented in manifest.h.
constexpr std::size_t kFeaturesAt = 12;
constexpr std::size_t kBaseAt = 2144;
constexpr std::size_t kBaseEnd = kBaseAt + 664;
constexpr std::size_t kFirstStoreAt = 4096;

StateId state_of(std::uint8_t byte) {
  StateId state{};
  state.fill(byte);
  return state;
}

// Two layers and the newest store over a base.
Manifest manifest_over_base() {
  Manifest manifest;
  manifest.delta.fill(1);
  manifest.image.fill(2);
  manifest.generation = 6;
  manifest.version = kStatesManifestVersion;
  manifest.next_number = 30;
  manifest.absorbed = {state_of(0xa1), state_of(0xa2)};
  manifest.image_path = "/srv/photos.dgfs";
  BaseFacts base;
  base.number = 9;
  base.uuid.fill(3);
  base.state = state_of(0xb0);
  base.end_of_image = 0x0102;
  base.end_of_numbers = 0x0708;
  base.sealed_at = {1'700'000'000, 17};
  base.pins = 5;
  base.name = "nightly-02";
  base.kept = {2, 4, 7};
  StateId below = base.state;
  for (std::uint64_t i = 0; i < 3; ++i) {
    StackedStore store{20 - i, {}, 0x0708 + 100 * i, 50 + 10 * i};
    store.uuid.fill(static_cast<std::uint8_t>(0x30 + i));
    store.layer.parent = below;
    if (i != 2) {
      below = store.layer.state = state_of(static_cast<std::uint8_t>(0xc0 + i));
      store.layer.end_of_objects = store.born_object + 10;
      store.layer.last_sequence = store.first_sequence + 5;
      store.layer.sealed_at = {1'700'000'000 + static_cast<std::int64_t>(i), 18};
      store.layer.name = "state-" + std::to_string(i);
    }
    manifest.stores.push_back(store);
  }
  manifest.base = base;
  return manifest;
}

void fit_slot(Buffer& bytes) {
  for (const std::size_t end : {kManifestSlotBytes, bytes.size()}) {
    format::store(MutableBytes(bytes), end - 8, format::checksum64(Bytes(bytes).first(end - 8)));
  }
}

// The slot of a manifest with bytes changed, and checksums that fit.
Buffer forged_slot(const Manifest& manifest, std::size_t at, const Buffer& to) {
  auto bytes = encode_manifest(manifest);
  std::copy(to.begin(), to.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  fit_slot(bytes);
  return bytes;
}

void expect_bad_manifest(Bytes bytes, int code) {
  const auto decoded = decode_manifest(bytes);
  ASSERT_FALSE(decoded) << code;
  EXPECT_EQ(decoded.error().code(), code) << decoded.error().message();
  EXPECT_EQ(decoded.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(decoded.error().section(), "manifest");
}

// What the base must not say about itself.
void expect_bad_manifest(const Manifest& manifest, int code) {
  expect_bad_manifest(encode_manifest(manifest), code);
}

TEST(ManifestBase, IsReadAsItWasWritten) {
  auto manifest = manifest_over_base();
  const auto expect_same = [&] {
    const auto bytes = encode_manifest(manifest);
    ASSERT_EQ(bytes.size(), kStatesManifestSlotBytes);
    const auto decoded = decode_manifest(bytes);
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded.value(), manifest);
    EXPECT_EQ(decoded.value().bottom(), manifest.base->uuid);
  };
  expect_same();
  manifest.base->name = std::string(kStateNameBytesMax, 'z');
  manifest.base->kept.clear();
  expect_same();
  for (std::uint64_t i = 1; i <= kKeptBasesMax; ++i) manifest.base->kept.push_back(i * 3);
  manifest.base->number = kDirectoryNumberMax - 1;
  manifest.next_number = kDirectoryNumberMax;
  expect_same();
  manifest.base->name.clear();
  manifest.base->sealed_at = {-1, 0};
  manifest.base->end_of_image = 0;
  manifest.absorbed.clear();
  manifest.image_path.clear();
  manifest.stores.erase(manifest.stores.begin(), manifest.stores.begin() + 2);
  manifest.stores.front().layer.parent = manifest.base->state;
  expect_same();
}

TEST(ManifestBase, LiesWhereTheFormatSaysSo) {
  const auto bytes = encode_manifest(manifest_over_base());
  const auto at = [&](std::size_t offset) { return Bytes(bytes).subspan(kBaseAt + offset); };
  const auto number_at = [&](std::size_t offset) {
    return format::load<std::uint64_t>(at(offset), 0);
  };
  EXPECT_EQ(format::load<std::uint32_t>(bytes, kFeaturesAt), 1U);
  EXPECT_EQ(number_at(0), 9U);
  EXPECT_EQ(at(8)[0], 3);
  EXPECT_EQ(at(8)[15], 3);
  EXPECT_EQ(at(24)[0], 0xb0);
  EXPECT_EQ(at(24)[15], 0xb0);
  EXPECT_EQ(number_at(40), 0x0102U);
  EXPECT_EQ(number_at(48), 0x0708U);
  EXPECT_EQ(number_at(56), 1'700'000'000U);
  EXPECT_EQ(format::load<std::uint32_t>(at(64), 0), 17U);
  EXPECT_EQ(format::load<std::uint32_t>(at(68), 0), 5U);
  EXPECT_EQ(number_at(72), 10U);
  EXPECT_EQ(as_text(at(80).first(11)), std::string("nightly-02") + '\0');
  EXPECT_EQ(number_at(144), 3U);
  EXPECT_EQ(number_at(152), 2U);
  EXPECT_EQ(number_at(160), 4U);
  EXPECT_EQ(number_at(168), 7U);
  const auto rest = Bytes(bytes).subspan(kBaseAt + 176, kManifestSlotBytes - 8 - kBaseAt - 176);
  EXPECT_TRUE(std::all_of(rest.begin(), rest.end(), [](auto byte) { return byte == 0; }));
}

// Programs that know no base go on to open deltas that have none.
TEST(ManifestBase, OneWithoutABaseHasTheBytesOfOlderPrograms) {
  auto manifest = manifest_over_base();
  const auto with_base = encode_manifest(manifest);
  manifest.base.reset();
  const auto bytes = encode_manifest(manifest);
  auto expected = with_base;
  std::fill_n(expected.begin() + kFeaturesAt, 4, std::uint8_t{0});
  std::fill_n(expected.begin() + kBaseAt, kBaseEnd - kBaseAt, std::uint8_t{0});
  fit_slot(expected);
  EXPECT_EQ(bytes, expected);
  const auto decoded = decode_manifest(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_FALSE(decoded.value().base);
  EXPECT_EQ(decoded.value().bottom(), manifest.image);
}

// Without it, one would show the image below stores that no longer lie over it. Such a program
// refuses all features, if the checksum of the first page confirms them.
TEST(ManifestBase, HasAFeatureThatOlderProgramsRefuse) {
  const auto bytes = encode_manifest(manifest_over_base());
  EXPECT_NE(format::load<std::uint32_t>(bytes, kFeaturesAt), 0U);
  const auto page = Bytes(bytes).first(kManifestSlotBytes);
  EXPECT_EQ(format::load<std::uint64_t>(page, kManifestSlotBytes - 8),
            format::checksum64(page.first(kManifestSlotBytes - 8)));
}

TEST(ManifestBase, UnknownFeaturesAreRefused) {
  auto manifest = manifest_over_base();
  for (const std::uint8_t features : Buffer{2, 3, 4, 0x80}) {
    for (const std::size_t byte : {0U, 3U}) {
      const auto newer = decode_manifest(forged_slot(manifest, kFeaturesAt + byte, {features}));
      ASSERT_FALSE(newer);
      EXPECT_EQ(newer.error().code(), 7133);
      EXPECT_EQ(newer.error().kind(), ErrorKind::kUnsupported);
    }
  }
  manifest.version = kFirstManifestVersion;
  const auto early = decode_manifest(encode_manifest(manifest));
  ASSERT_FALSE(early) << "version 2 has no base";
  EXPECT_EQ(early.error().kind(), ErrorKind::kUnsupported);
}

TEST(ManifestBase, BytesBeyondItAreRefused) {
  const auto manifest = manifest_over_base();
  expect_bad_manifest(forged_slot(manifest, kFeaturesAt, {0}), 7504);
  expect_bad_manifest(forged_slot(manifest, kBaseEnd, {1}), 7504);
  expect_bad_manifest(forged_slot(manifest, kManifestSlotBytes - 9, {1}), 7504);
  expect_bad_manifest(forged_slot(manifest, kBaseAt - 1, {1}), 7504);
}

TEST(ManifestBase, ItsNumberLiesBelowTheNextAndAboveEarlierOnes) {
  const auto manifest = manifest_over_base();
  expect_bad_manifest(forged_slot(manifest, kBaseAt, Buffer(8)), 7605);
  expect_bad_manifest(forged_slot(manifest, kBaseAt, {30}), 7605);
  expect_bad_manifest(forged_slot(manifest, kBaseAt, Buffer(8, 0xff)), 7605);
  expect_bad_manifest(forged_slot(manifest, kBaseAt, {7}), 7606);
  for (const std::uint8_t first : Buffer{0, 4, 5}) {
    expect_bad_manifest(forged_slot(manifest, kBaseAt + 152, {first}), 7606);
  }
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 168, {9}), 7606);
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 168, Buffer(8, 0xff)), 7606);
}

TEST(ManifestBase, ItsStateIsTheOneBelowTheLowestStore) {
  const auto manifest = manifest_over_base();
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 24, {0xb1}), 7607);
  expect_bad_manifest(forged_slot(manifest, kFirstStoreAt + 40, {0xb1}), 7607);
  auto of_image = manifest;
  of_image.base->state = {};
  of_image.stores.front().layer.parent = {};
  expect_bad_manifest(of_image, 7607);
}

TEST(ManifestBase, TheObjectsOfTheImageEndBeforeThoseOfTheStores) {
  auto manifest = manifest_over_base();
  manifest.base->end_of_image = manifest.stores.front().born_object;
  EXPECT_TRUE(decode_manifest(encode_manifest(manifest)));
  ++manifest.base->end_of_image;
  expect_bad_manifest(manifest, 7608);
  expect_bad_manifest(forged_slot(manifest_over_base(), kBaseAt + 40, Buffer(8, 0xff)), 7608);
}

TEST(ManifestBase, ItsStateHasAPossibleNameThatNoLayerHas) {
  const auto manifest = manifest_over_base();
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 80, {'/'}), 7609);
  auto same = manifest;
  same.base->name = "state-1";
  expect_bad_manifest(same, 7610);
  same = manifest;
  same.stores[1].layer.state = same.base->state;
  same.stores[2].layer.parent = same.base->state;
  expect_bad_manifest(same, 7610);
  same = manifest;
  same.base->name.clear();
  for (auto& store : same.stores) store.layer.name.clear();
  EXPECT_TRUE(decode_manifest(encode_manifest(same))) << "no name is not a common name";
}

TEST(ManifestBase, ItWasSealedBeforeTheLayers) {
  auto manifest = manifest_over_base();
  manifest.base->sealed_at.nanoseconds = 19;
  expect_bad_manifest(manifest, 7611);
  manifest.base->sealed_at.nanoseconds = 18;
  EXPECT_TRUE(decode_manifest(encode_manifest(manifest)));
}

TEST(ManifestBase, LengthsAndCountsAreChecked) {
  const auto manifest = manifest_over_base();
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 64, Buffer(4, 0xff)), 7612);
  for (const std::size_t count_at : {std::size_t{72}, std::size_t{144}}) {
    expect_bad_manifest(forged_slot(manifest, kBaseAt + count_at, {65}), 7612);
    expect_bad_manifest(forged_slot(manifest, kBaseAt + count_at, Buffer(8, 0xff)), 7612);
  }
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 72, {9}), 7613);
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 143, {1}), 7613);
  expect_bad_manifest(forged_slot(manifest, kBaseAt + 144, {2}), 7613);
  expect_bad_manifest(forged_slot(manifest, kBaseEnd - 1, {1}), 7613);
}

TEST(ManifestBase, AFlippedByteIsFoundOut) {
  const auto sound = encode_manifest(manifest_over_base());
  for (std::size_t at = kBaseAt; at < kBaseEnd; ++at) {
    auto bytes = sound;
    bytes[at] ^= static_cast<std::uint8_t>(1U << at % 8);
    EXPECT_FALSE(decode_manifest(bytes)) << at;
  }
}

// One that lost its second write has the manifest without the base in the other slot.
TEST(ManifestBase, ASlotWithoutItIsTheOlderOne) {
  const auto env = storage::make_memory_env(1);
  const auto file = env->open("/m", {storage::OpenOptions::Mode::kCreateNew}).value();
  auto manifest = manifest_over_base();
  auto before = manifest;
  before.base.reset();
  before.stores.front().layer.parent = {};
  before.generation = manifest.generation - 1;
  ASSERT_TRUE(write_manifest(*file, before));
  ASSERT_TRUE(write_manifest(*file, manifest));
  const auto read = read_manifest(*file);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read.value(), manifest);
  EXPECT_FALSE(read.value().says_the_same(before));
  auto other_base = manifest;
  other_base.base->end_of_numbers = 1;
  EXPECT_FALSE(other_base.says_the_same(manifest));
}

}  // namespace
}  // namespace dgfs::test
