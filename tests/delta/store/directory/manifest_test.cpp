// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/manifest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "format/checksum.h"
#include "format/coding.h"
#include "storage/memory/env.h"

namespace dgfs::test {
namespace {

using namespace delta;

Manifest stack_of(std::size_t stores) {
  Manifest manifest;
  manifest.delta.fill(1);
  manifest.image.fill(2);
  manifest.generation = 6;
  for (std::uint64_t i = 0; i < stores; ++i) {
    StackedStore store{i + 1, {}, 100 * i, 1 + 10 * i};
    store.uuid.fill(static_cast<std::uint8_t>(i));
    manifest.stores.push_back(store);
  }
  return manifest;
}

// Encodes the manifest with one byte changed, and a checksum that fits.
Buffer changed(const Manifest& manifest, std::size_t at, std::uint8_t byte) {
  auto bytes = encode_manifest(manifest);
  bytes[at] = byte;
  format::store(MutableBytes(bytes), bytes.size() - 8,
                format::checksum64(Bytes(bytes).first(bytes.size() - 8)));
  return bytes;
}

// Version 3: stores that are layers, and the newest.
Manifest states_of(std::size_t stores) {
  auto manifest = stack_of(stores);
  manifest.version = kStatesManifestVersion;
  manifest.next_number = 1000;
  manifest.absorbed.resize(stores % 3);
  manifest.image_path = "/srv/crawl.dgfs";
  for (std::size_t i = 0; i < stores; ++i) {
    StackedStore& store = manifest.stores[i];
    store.number = 900 - 10 * i;
    LayerFacts& layer = store.layer;
    if (i != 0) layer.parent = manifest.stores[i - 1].layer.state;
    if (i + 1 == stores) break;
    layer.state.fill(static_cast<std::uint8_t>(i + 1));
    layer.end_of_objects = 100 * i + 100;
    layer.last_sequence = 10 * i + 5;
    layer.sealed_at = {1'700'000'000 + static_cast<std::int64_t>(i / 2), 17};
    layer.pins = 3;
    layer.name = i % 2 == 0 ? "nightly-" + std::to_string(i) : std::string();
  }
  return manifest;
}

// The same with bytes changed, and checksums that fit.
Buffer changed_states(const Manifest& manifest, std::size_t at, const Buffer& to) {
  auto bytes = encode_manifest(manifest);
  std::copy(to.begin(), to.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  for (const std::size_t end : {kManifestSlotBytes, kStatesManifestSlotBytes}) {
    format::store(MutableBytes(bytes), end - 8, format::checksum64(Bytes(bytes).first(end - 8)));
  }
  return bytes;
}

int code_of(const Result<Manifest>& decoded) { return decoded ? 0 : decoded.error().code(); }

TEST(ManifestTest, IsReadAsItWasWritten) {
  for (const std::size_t stores : {std::size_t{1}, std::size_t{2}, kStoresMax}) {
    const auto manifest = stack_of(stores);
    const auto bytes = encode_manifest(manifest);
    ASSERT_EQ(bytes.size(), kManifestSlotBytes);
    const auto decoded = decode_manifest(bytes);
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded.value(), manifest);
  }
  EXPECT_EQ(stack_of(12).stores.back().name(), "0012");
}

TEST(ManifestTest, EachBrokenRuleIsRefused) {
  const auto manifest = stack_of(2);
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 0, 'X'))), 7136);
  EXPECT_EQ(code_of(decode_manifest(Buffer(kManifestSlotBytes - 1))), 7136);
  for (const std::size_t at : {std::size_t{8}, std::size_t{12}}) {
    const auto newer = decode_manifest(changed(manifest, at, 4));
    EXPECT_EQ(code_of(newer), 7133);
    EXPECT_EQ(newer.error().kind(), ErrorKind::kUnsupported);
  }
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 56, 0))), 7138);
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 56, kStoresMax + 1))), 7138);
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 64, 1))), 7165) << "65,537 bytes";
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 66, 0))), 7165) << "a chunk of no bytes";
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 72, 0))), 7134);
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 112, 1))), 7134);
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 114, 1))), 7134)
      << "a store number above 9999";
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 72 + 24, 101))), 7135);
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 72 + 32, 12))), 7135);
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 72 + 32, 0))), 7135)
      << "batch numbers start at 1";
  EXPECT_EQ(code_of(decode_manifest(changed(manifest, 152, 1))), 7139);
}

// A slot of 16 KiB whose first page is that of a short slot, or the other way round.
TEST(ManifestTest, ASlotIsAsLongAsItsVersionSays) {
  EXPECT_EQ(code_of(decode_manifest(changed(stack_of(2), 8, 3))), 7505);
  auto bytes = encode_manifest(states_of(2));
  bytes[8] = 2;
  EXPECT_EQ(code_of(decode_manifest(bytes)), 7505);
}

TEST(ManifestTest, AFlippedByteIsFoundOut) {
  const auto sound = encode_manifest(stack_of(3));
  for (std::size_t at = 0; at < sound.size(); ++at) {
    auto bytes = sound;
    bytes[at] ^= static_cast<std::uint8_t>(1U << at % 8);
    EXPECT_FALSE(decode_manifest(bytes)) << at;
  }
}

TEST(StatesManifest, IsReadAsItWasWritten) {
  for (const std::size_t stores : {std::size_t{1}, std::size_t{2}, std::size_t{17}, kStatesMax}) {
    const auto manifest = states_of(stores);
    const auto bytes = encode_manifest(manifest);
    ASSERT_EQ(bytes.size(), kStatesManifestSlotBytes);
    const auto decoded = decode_manifest(bytes);
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded.value(), manifest);
  }
  StackedStore store;
  store.number = 12345;
  EXPECT_EQ(store.name(), "12345");
}

TEST(StatesManifest, AFlippedByteIsFoundOut) {
  const auto sound = encode_manifest(states_of(3));
  for (std::size_t at = 0; at < sound.size(); ++at) {
    auto bytes = sound;
    bytes[at] ^= static_cast<std::uint8_t>(1U << at % 8);
    EXPECT_FALSE(decode_manifest(bytes)) << at;
  }
}

TEST(StatesManifest, EachBrokenRuleIsRefused) {
  const auto manifest = states_of(3);
  const auto code = [&](std::size_t at, const Buffer& to) {
    return code_of(decode_manifest(changed_states(manifest, at, to)));
  };
  constexpr std::size_t kSecond = 4096 + 176;
  constexpr std::size_t kNewest = 4096 + 2 * 176;
  EXPECT_EQ(code(56, {0}), 7502);
  EXPECT_EQ(code(56, {65}), 7502);
  EXPECT_EQ(code(72, Buffer(8)), 7496);
  EXPECT_EQ(code(72, Buffer(8, 0xff)), 7496);
  EXPECT_EQ(code(72, {1, 0}), 7497) << "the next number is not above those in use";
  EXPECT_EQ(code(80, {65}), 7503);
  EXPECT_EQ(code(88, {0, 8}), 7503);
  EXPECT_EQ(code(88, {2}), 7504) << "the path is longer than that";
  EXPECT_EQ(code(1119, {1}), 7504);
  EXPECT_EQ(code(2200, {1}), 7504);
  EXPECT_EQ(code(4096 + 3 * 176, {1}), 7504);
  EXPECT_EQ(code(4096, Buffer(8)), 7497);
  EXPECT_EQ(code(kSecond, {0x84, 3}), 7497) << "the number of the first store";
  EXPECT_EQ(code(kSecond + 24, Buffer(16)), 7491);
  EXPECT_EQ(code(4096 + 24, Buffer(16)), 7491);
  EXPECT_EQ(code(kNewest + 40, Buffer(16, 9)), 7492);
  EXPECT_EQ(code(4096 + 64, {0xff}), 7493) << "objects beyond the begin of the next";
  EXPECT_EQ(code(kSecond + 64, {99}), 7493) << "objects that end before they begin";
  EXPECT_EQ(code(4096 + 80, {11}), 7494);
  EXPECT_EQ(code(kSecond + 80, {9}), 7494);
  EXPECT_EQ(code(4096 + 72, Buffer(8)), 7498);
  EXPECT_EQ(code(4096 + 96, Buffer(4, 0xff)), 7488);
  EXPECT_EQ(code(4096 + 88, Buffer(1, 0xff)), 7501);
  EXPECT_EQ(code(4096 + 104, {65}), 7489);
  EXPECT_EQ(code(4096 + 104, {2}), 7490);
  EXPECT_EQ(code(4096 + 112, {'/'}), 7495);
  EXPECT_EQ(code(kNewest + 100, {1}), 7499);
  EXPECT_EQ(code(kNewest + 24, Buffer(16, 5)), 7499);
}

TEST(StatesManifest, StatesHaveDifferentIdsAndNames) {
  auto manifest = states_of(4);
  manifest.stores[2].layer.name = manifest.stores[0].layer.name;
  EXPECT_EQ(code_of(decode_manifest(encode_manifest(manifest))), 7500);
  manifest = states_of(4);
  manifest.stores[2].layer.state = manifest.stores[0].layer.state;
  manifest.stores[3].layer.parent = manifest.stores[2].layer.state;
  EXPECT_EQ(code_of(decode_manifest(encode_manifest(manifest))), 7500);
}

// A program that knows only version 2 reads slots of 4 KiB, and looks for the checksum at their
// end: with it, it says that the version is another one, and not that the delta is damaged.
TEST(StatesManifest, TellsOlderProgramsThatItIsOfAnotherVersion) {
  const auto bytes = encode_manifest(states_of(3));
  const auto page = Bytes(bytes).first(kManifestSlotBytes);
  EXPECT_EQ(format::load<std::uint32_t>(page, 8), 3U);
  EXPECT_EQ(format::load<std::uint64_t>(page, kManifestSlotBytes - 8),
            format::checksum64(page.first(kManifestSlotBytes - 8)));
}

TEST(StatesManifest, TheOtherSlotStandsInForOneThatIsLost) {
  const auto env = storage::make_memory_env(1);
  const auto file = env->open("/m", {storage::OpenOptions::Mode::kCreateNew}).value();
  auto manifest = states_of(3);
  ASSERT_TRUE(write_both_slots(*file, manifest));
  EXPECT_EQ(read_manifest(*file).value(), manifest);
  EXPECT_EQ(count_whole_slots(*file).value(), 2U);
  for (std::size_t at = 0; at < 2 * kStatesManifestSlotBytes; at += 7) {
    Buffer byte(1);
    ASSERT_TRUE(storage::read_exactly(*file, at, byte));
    ASSERT_TRUE(file->write_at(at, Buffer(1, static_cast<std::uint8_t>(byte[0] ^ 0x10))));
    const auto read = read_manifest(*file);
    ASSERT_TRUE(read) << at << read.error().message();
    ASSERT_TRUE(read.value().says_the_same(manifest)) << at;
    ASSERT_EQ(count_whole_slots(*file).value(), 1U);
    ASSERT_TRUE(file->write_at(at, byte));
  }
  ASSERT_TRUE(file->write_at(5000, Buffer(1, 7)));
  ASSERT_TRUE(file->write_at(kStatesManifestSlotBytes + 5000, Buffer(1, 7)));
  EXPECT_EQ(code_of(read_manifest(*file)), 7140);
}

TEST(ManifestTest, TheOtherSlotStandsInForOneThatIsLost) {
  const auto env = storage::make_memory_env(1);
  const auto file = env->open("/m", {storage::OpenOptions::Mode::kCreateNew}).value();
  auto manifest = stack_of(2);
  ASSERT_TRUE(write_both_slots(*file, manifest));
  EXPECT_EQ(read_manifest(*file).value(), manifest);
  for (std::size_t at = 0; at < 2 * kManifestSlotBytes; ++at) {
    Buffer byte(1);
    ASSERT_TRUE(storage::read_exactly(*file, at, byte));
    ASSERT_TRUE(file->write_at(at, Buffer(1, static_cast<std::uint8_t>(byte[0] ^ 0x10))));
    const auto read = read_manifest(*file);
    ASSERT_TRUE(read) << at << read.error().message();
    ASSERT_TRUE(read.value().says_the_same(manifest)) << at;
    ASSERT_TRUE(file->write_at(at, byte));
  }
  ASSERT_TRUE(file->write_at(100, Buffer(1, 7)));
  ASSERT_TRUE(file->write_at(kManifestSlotBytes + 100, Buffer(1, 7)));
  const auto read = read_manifest(*file);
  ASSERT_EQ(code_of(read), 7140);
  EXPECT_NE(read.error().message().find("/m: manifest"), std::string::npos);
}

// A later version may have its checksum elsewhere: it is not called damaged. Beside a valid slot it
// is damage: a flipped bit.
TEST(ManifestTest, AnotherVersionIsToldFromDamage) {
  auto newer = encode_manifest(stack_of(2));
  newer[8] = 4;
  EXPECT_EQ(code_of(decode_manifest(newer)), 7133);
  const auto env = storage::make_memory_env(1);
  const auto file = env->open("/m", {storage::OpenOptions::Mode::kCreateNew}).value();
  auto manifest = stack_of(2);
  ASSERT_TRUE(write_both_slots(*file, manifest));
  for (const std::uint64_t slot : {0U, 1U}) {
    ASSERT_TRUE(file->write_at(slot * kManifestSlotBytes, newer));
    const auto read = read_manifest(*file);
    EXPECT_EQ(code_of(read), slot == 0 ? 0 : 7133);
    if (slot == 1) {
      EXPECT_EQ(read.error().kind(), ErrorKind::kUnsupported);
    }
  }
  // With its checksum it is one, whatever the other slot is.
  ASSERT_TRUE(write_both_slots(*file, manifest));
  ASSERT_TRUE(file->write_at(kManifestSlotBytes, changed(stack_of(2), 8, 4)));
  EXPECT_EQ(code_of(read_manifest(*file)), 7133);
}

TEST(ManifestTest, SlotsThatDoNotBelongTogetherAreRefused) {
  const auto env = storage::make_memory_env(1);
  const auto file = env->open("/m", {storage::OpenOptions::Mode::kCreateNew}).value();
  auto manifest = stack_of(1);
  ASSERT_TRUE(write_manifest(*file, manifest));
  EXPECT_TRUE(read_manifest(*file)) << "one valid slot is enough";
  ++manifest.generation;
  manifest.image.fill(9);
  ASSERT_TRUE(write_manifest(*file, manifest));
  EXPECT_EQ(code_of(read_manifest(*file)), 7141);
  // A slot that lies in the place of the other one is invalid.
  ASSERT_TRUE(file->write_at(0, encode_manifest(manifest)));
  ASSERT_TRUE(file->truncate(kManifestSlotBytes));
  EXPECT_EQ(code_of(read_manifest(*file)), 7140);
}

}  // namespace
}  // namespace dgfs::test
