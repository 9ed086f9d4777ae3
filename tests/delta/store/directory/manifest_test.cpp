// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/manifest.h"

#include <gtest/gtest.h>

#include <functional>

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
    const auto newer = decode_manifest(changed(manifest, at, 3));
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

TEST(ManifestTest, AFlippedByteIsFoundOut) {
  const auto sound = encode_manifest(stack_of(3));
  for (std::size_t at = 0; at < sound.size(); ++at) {
    auto bytes = sound;
    bytes[at] ^= static_cast<std::uint8_t>(1U << at % 8);
    EXPECT_FALSE(decode_manifest(bytes)) << at;
  }
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
  newer[8] = 3;
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
  ASSERT_TRUE(file->write_at(kManifestSlotBytes, changed(stack_of(2), 8, 3)));
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
