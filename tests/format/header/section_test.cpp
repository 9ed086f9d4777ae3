// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/section.h"

#include <set>

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

constexpr auto kKind = SectionKind::kDirectoryTable;

Buffer sealed(const Buffer& body, SectionKind kind = kKind) {
  Buffer out;
  seal_block(kind, body, out);
  return out;
}

// Puts the right checksum on a changed block.
void reseal_block(Buffer& block) {
  store(MutableBytes(block), 0,
        checksum64(Bytes(block).subspan(8), static_cast<std::uint64_t>(kKind)));
}

template <class Int>
Buffer changed_block(Buffer block, std::size_t offset, Int value) {
  store(MutableBytes(block), offset, value);
  reseal_block(block);
  return block;
}

TEST(SectionTest, NamesEveryKind) {
  std::set<std::string> names;
  for (std::uint32_t kind = 0; kind < kSectionKinds; ++kind) {
    names.insert(section_name(static_cast<SectionKind>(kind)));
  }
  EXPECT_EQ(names.size(), kSectionKinds);
  EXPECT_STREQ(section_name(SectionKind::kPageDirectory), "page directory");
  EXPECT_STREQ(section_name(static_cast<SectionKind>(77)), "unknown section");
}

TEST(SectionTest, HasAShapeForEveryKind) {
  for (std::uint32_t kind = 1; kind < kSectionKinds; ++kind) {
    EXPECT_NE(section_shape(static_cast<SectionKind>(kind)), SectionShape::kNone) << kind;
  }
  EXPECT_EQ(section_shape(SectionKind::kDigests), SectionShape::kRecordPages);
  EXPECT_EQ(section_shape(SectionKind::kNone), SectionShape::kNone);
  EXPECT_EQ(section_shape(static_cast<SectionKind>(77)), SectionShape::kNone);
}

TEST(SealedBlockTest, KeepsBodies) {
  test::Random random(1);
  for (const std::size_t size : {0U, 1U, 23U, 1000U, 65536U, 200000U}) {
    for (const auto& body : {Buffer(size, 'x'), test::random_bytes(random, size)}) {
      const auto block = sealed(body);
      EXPECT_LE(block.size(), kSealedBlockHeaderBytes + size);
      const auto opened = open_block(kKind, block);
      ASSERT_TRUE(opened) << opened.error().message();
      EXPECT_EQ(opened.value().body, body);
      EXPECT_EQ(opened.value().consumed_bytes, block.size());
    }
  }
}

TEST(SealedBlockTest, CompressesWhereSmaller) {
  EXPECT_LT(sealed(Buffer(1000, 'x')).size(), 100U);
  EXPECT_EQ(sealed(Buffer(1000, 'x'))[20], 1);
  EXPECT_EQ(sealed(Buffer(4, 'x'))[20], 0);
}

TEST(SealedBlockTest, SplitsTheFirstOfSeveral) {
  auto blocks = sealed(Buffer(100, 'a'));
  const auto first = blocks.size();
  seal_block(kKind, Buffer(50, 'b'), blocks);
  EXPECT_EQ(open_block(kKind, blocks).value().consumed_bytes, first);
  EXPECT_EQ(open_block(kKind, Bytes(blocks).subspan(first)).value().body, Buffer(50, 'b'));
}

TEST(SealedBlockTest, DetectsEveryFlippedByteAndTruncation) {  // F-040
  test::Random random(2);
  for (const auto& body : {Buffer(500, 'x'), test::random_bytes(random, 90)}) {
    auto block = sealed(body);
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] ^= 0x80;
      const auto opened = open_block(kKind, block);
      EXPECT_FALSE(opened) << "byte " << i;
      EXPECT_EQ(opened.error().section(), "directory table");
      block[i] ^= 0x80;
    }
    test::expect_no_prefix_decodes(
        block, test::kind_of([](Bytes bytes) { return open_block(kKind, bytes); }));
  }
}

TEST(SealedBlockTest, RefusesBlocksOfOtherSections) {  // F-040, F-041
  const Buffer body(100, 'x');
  expect_error(open_block(SectionKind::kModels, sealed(body)), ErrorKind::kCorrupt, 2503);
  // The checksum alone also tells kinds apart.
  auto block = sealed(body, SectionKind::kModels);
  store(MutableBytes(block), 16, static_cast<std::uint32_t>(kKind));
  expect_error(open_block(kKind, block), ErrorKind::kCorrupt, 2507);
}

TEST(SealedBlockTest, RefusesBadHeaders) {  // F-041, F-042
  const auto block = sealed(Buffer(500, 'x'));
  const auto stored = static_cast<std::uint32_t>(block.size() - kSealedBlockHeaderBytes);
  const auto refuse = [](const Buffer& bytes, unsigned code) {
    expect_error(open_block(kKind, bytes), ErrorKind::kCorrupt, code);
  };
  refuse(changed_block(block, 8, stored + 1), 2501);
  refuse(changed_block(block, 8, ~std::uint32_t{0}), 2501);
  refuse(changed_block(block, 12, static_cast<std::uint32_t>(kSectionBlockBytesMax + 1)), 2502);
  refuse(changed_block(block, 20, std::uint8_t{2}), 2504);
  refuse(changed_block(block, 21, std::uint8_t{1}), 2505);
  refuse(changed_block(block, 23, std::uint8_t{1}), 2505);
  refuse(changed_block(block, 20, std::uint8_t{0}), 2506);  // raw, but of two lengths
  refuse(changed_block(block, 12, stored), 2506);           // compressed, but not smaller
  refuse(changed_block(sealed({}), 20, std::uint8_t{1}), 2506);
}

TEST(SealedBlockTest, RefusesOtherDecodedLengths) {  // F-044
  const auto block = sealed(Buffer(500, 'x'));
  expect_error(open_block(kKind, changed_block(block, 12, std::uint32_t{501})), ErrorKind::kCorrupt,
               2524);
  expect_error(open_block(kKind, changed_block(block, 12, std::uint32_t{499})), ErrorKind::kCorrupt,
               2523);
}

TEST(SealedBlockTest, RefusesWhatIsNotOneZstdFrame) {  // F-044
  auto block = sealed(Buffer(500, 'x'));
  const Buffer frame(block.begin() + kSealedBlockHeaderBytes, block.end());
  block.insert(block.end(), frame.begin(), frame.end());
  store(MutableBytes(block), 8, static_cast<std::uint32_t>(2 * frame.size()));
  store(MutableBytes(block), 12, std::uint32_t{1000});
  reseal_block(block);
  expect_error(open_block(kKind, block), ErrorKind::kCorrupt, 2522);
}

TEST(SealedBlockTest, SurvivesDamageUnderARightChecksum) {
  const Buffer body(3000, 'y');
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    auto block = sealed(body);
    for (std::uint64_t i = test::below(random, 3) + 1; i > 0; --i) {
      block[8 + test::below(random, block.size() - 8)] = static_cast<std::uint8_t>(random());
    }
    reseal_block(block);
    const auto opened = open_block(kKind, block);
    if (opened) {
      EXPECT_LE(opened.value().body.size(), kSectionBlockBytesMax);
    }
  }
}

TEST(SealedRecordTest, KeepsBodies) {
  for (const std::size_t size : {0U, 1U, 5000U}) {
    const Buffer body(size, 'r');
    const auto record = seal_record(SectionKind::kXattrs, 24, body);
    EXPECT_EQ(record.size(), size + 8);
    const auto opened = open_record(SectionKind::kXattrs, 24, record);
    ASSERT_TRUE(opened) << opened.error().message();
    EXPECT_EQ(as_text(opened.value()), as_text(body));
  }
}

TEST(SealedRecordTest, DetectsDamage) {  // F-043
  auto record = seal_record(SectionKind::kXattrs, 24, Buffer(20, 'r'));
  const auto open = [](Bytes bytes) { return open_record(SectionKind::kXattrs, 24, bytes); };
  test::expect_no_prefix_decodes(record, test::kind_of(open));
  for (auto& byte : record) {
    byte ^= 0x04;
    expect_error(open(record), ErrorKind::kCorrupt, 2509);
    byte ^= 0x04;
  }
  expect_error(open_record(SectionKind::kLongTargets, 24, record), ErrorKind::kCorrupt, 2509);
  expect_error(open(Buffer(7)), ErrorKind::kCorrupt, 2508);
}

/// Intact records at the place of another record.
TEST(SealedRecordTest, DetectsRecordsInThePlaceOfOthers) {  // F-043
  for (const auto kind : {SectionKind::kLongTargets, SectionKind::kXattrs}) {
    const auto record = seal_record(kind, 28, Buffer(20, 'r'));
    ASSERT_TRUE(open_record(kind, 28, record));
    for (const std::uint64_t other : {0U, 27U, 29U, 56U, 28U + 256U}) {
      expect_error(open_record(kind, other, record), ErrorKind::kCorrupt, 2509);
    }
  }
}

}  // namespace
}  // namespace dgfs::format
