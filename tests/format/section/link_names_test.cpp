// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

#include "format/coding.h"
#include "format/header/section.h"
#include "format/section/link_block.h"
#include "format/section/link_table.h"
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;
using Objects = std::map<InodeNumber, std::vector<Ordinal>>;

constexpr auto kCorrupt = ErrorKind::kCorrupt;
constexpr std::uint64_t kHuge = ~std::uint64_t{0};

Buffer varints_of(const std::vector<std::uint64_t>& numbers) {
  Buffer body;
  for (const auto number : numbers) Encoder(body).varint(number);
  return body;
}

Result<Objects> objects_in(Bytes body, const LinkBlockBounds& bounds) {
  Objects found;
  DGFS_CHECK(visit_link_block(body, bounds, [&](InodeNumber inode, auto names) {
    found[inode].assign(names.begin(), names.end());
  }));
  return found;
}

TEST(LinkBlock, GivesWhatWasPutIn) {
  test::Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Ordinal end = Ordinal{1} << (6 + round % 50);
    Objects put;
    LinkBlockFiller filler;
    InodeNumber inode = 1 + test::below(random, end);
    const auto first = inode;
    while (true) {
      std::vector<Ordinal> names;
      Ordinal name = test::below(random, 2) == 0 && inode - 1 > 0 && inode - 1 < end
                         ? inode - 1
                         : 1 + test::below(random, end - 1);
      for (; names.size() < 9 && name < end; name += 1 + test::below(random, end / 8)) {
        names.push_back(name);
      }
      if (!filler.add(inode, names)) break;
      put[inode] = names;
      inode += 1 + test::below(random, end);
    }
    EXPECT_EQ(filler.first_inode(), first);
    const auto body = filler.take();
    EXPECT_TRUE(filler.empty());
    EXPECT_LE(body.size(), kLinkBlockBytesMax);
    EXPECT_GT(body.size(), kLinkBlockBytesMax - 200);
    EXPECT_EQ(objects_in(body, {first, inode, end}).value(), put);
  }
}

TEST(LinkBlock, TakesTwoBytesForTwoNamesSideBySideInAFreshBuild) {
  LinkBlockFiller filler;
  ASSERT_TRUE(filler.add(10, std::vector<Ordinal>{9, 10}));
  ASSERT_TRUE(filler.add(12, std::vector<Ordinal>{11, 12}));
  EXPECT_EQ(filler.take(), (Buffer{10, 2, 1, 2, 2, 1}));
  ASSERT_TRUE(filler.add(10, std::vector<Ordinal>{5}));  // the first name was dropped
  EXPECT_EQ(filler.take(), (Buffer{10, 1, 7}));
}

TEST(LinkBlock, HasRoomForAnyNamesWhoseGapsItTakes) {
  LinkBlockFiller filler;
  std::vector<Ordinal> names(LinkBlockFiller::kGapBytesMax + 1);  // gaps of a byte each
  std::iota(names.begin(), names.end(), Ordinal{1} << 62);
  ASSERT_TRUE(filler.add(kHuge - 1, names));
  EXPECT_FALSE(filler.add(kHuge, std::vector<Ordinal>{1, 1000, 100'000, 1 << 30}));
  const auto body = filler.take();
  EXPECT_EQ(objects_in(body, {kHuge - 1, kHuge, kHuge}).value()[kHuge - 1], names);
}

TEST(LinkBlock, RefusesWhatItCannotBe) {
  const LinkBlockBounds bounds{5, 20, 100};
  const auto refuse = [&](const std::vector<std::uint64_t>& numbers, unsigned code) {
    expect_error(objects_in(varints_of(numbers), bounds), kCorrupt, code);
  };
  EXPECT_EQ(objects_in(varints_of({5, 2, 95}), bounds).value(), (Objects{{5, {4, 99}}}));
  refuse({}, 2966);                                                                     // F-342
  expect_error(objects_in(Buffer(kLinkBlockBytesMax + 1, 1), bounds), kCorrupt, 2966);  // F-342
  refuse({4, 0}, 2962);                                                                 // F-342
  refuse({6, 0}, 2962);                                                                 // F-342
  refuse({5, 0, 0, 0}, 2963);                                                           // F-343
  refuse({5, 0, 15, 0}, 2963);                                                          // F-343
  refuse({5, 0, kHuge, 0}, 2963);                                                       // F-343
  EXPECT_TRUE(objects_in(varints_of({5, 0, 14, 0}), bounds));
  refuse({5}, 2001);                 // F-001
  refuse({5, 1}, 2001);              // F-001
  refuse({5, 4, 1}, 2961);           // F-002
  refuse({5, kHuge, 1}, 2961);       // F-002
  refuse({5, 1, zigzag(-4)}, 2964);  // F-344, the root
  refuse({5, 1, zigzag(-5)}, 2964);  // F-344, 2^64 - 1
  refuse({5, 1, zigzag(96)}, 2964);  // F-344
  EXPECT_TRUE(objects_in(varints_of({5, 1, zigzag(95)}), bounds));
  refuse({5, 2, 0}, 2965);      // F-344
  refuse({5, 2, 96}, 2965);     // F-344
  refuse({5, 2, kHuge}, 2965);  // F-344
}

Buffer table_body(const std::vector<LinkTableRow>& rows, InodeNumber before = 0) {
  Buffer body;
  encode_link_table(rows, before, body);
  return body;
}

Result<LinkTable> load_rows(const std::vector<Buffer>& bodies, std::uint64_t section_bytes) {
  LinkTable::Loader loader(section_bytes, 1000, 900);
  for (const auto& body : bodies) {
    DGFS_CHECK(loader.add(body));
  }
  return std::move(loader).finish();
}

TEST(LinkTable, LeadsToBlocks) {
  const auto table =
      load_rows({table_body({{5, 100}, {30, 25}, {30, 40}}), table_body({{30, 60}, {80, 75}}, 30)},
                300)
          .value();
  const auto find = [&](InodeNumber inode) {
    const auto range = table.find(inode);
    return std::pair(range.begin, range.end);
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  ASSERT_EQ(table.block_count(), 5U);
  EXPECT_EQ(find(4), Pair(0, 0));
  EXPECT_EQ(find(5), Pair(0, 1));
  EXPECT_EQ(find(29), Pair(0, 1));
  EXPECT_EQ(find(30), Pair(1, 4));
  EXPECT_EQ(find(31), Pair(3, 4));
  EXPECT_EQ(find(80), Pair(4, 5));
  EXPECT_EQ(find(kHuge), Pair(4, 5));
  EXPECT_EQ(table.place(2).offset_bytes, 125U);
  EXPECT_EQ(table.place(2).length_bytes, 40U);
  EXPECT_EQ(table.place(4).length_bytes, 75U);
  // No other object begins in a later part of an object.
  EXPECT_EQ(table.bounds(1).inode_end, 31U);
  EXPECT_EQ(table.bounds(3).inode_end, 80U);
  EXPECT_EQ(table.bounds(4).first_inode, 80U);
  EXPECT_EQ(table.bounds(4).inode_end, 1000U);
  EXPECT_EQ(table.bounds(4).ordinal_end, 900U);
}

TEST(LinkTable, RefusesWhatItCannotBe) {
  constexpr auto kLongest = kSealedBlockHeaderBytes + kLinkBlockBytesMax;
  EXPECT_TRUE(load_rows({table_body({{999, 30}})}, 30));
  EXPECT_TRUE(load_rows({table_body({{1, kLongest}})}, kLongest));
  expect_error(load_rows({varints_of({1})}, 30), kCorrupt, 2001);                 // F-001
  expect_error(load_rows({table_body({{0, 30}})}, 30), kCorrupt, 2967);           // F-345
  expect_error(load_rows({table_body({{1000, 30}})}, 30), kCorrupt, 2967);        // F-345
  expect_error(load_rows({table_body({{7, 30}, {6, 30}})}, 60), kCorrupt, 2967);  // F-345
  expect_error(load_rows({table_body({{7, 30}}), table_body({{1000, 30}}, 7)}, 60), kCorrupt,
               2967);                                                    // F-345
  expect_error(load_rows({table_body({{7, 24}})}, 24), kCorrupt, 2968);  // F-346
  expect_error(load_rows({table_body({{7, kLongest + 1}})}, kLongest + 1), kCorrupt,
               2968);                                                                // F-346
  expect_error(load_rows({table_body({{7, 31}})}, 30), kCorrupt, 2968);              // F-346
  expect_error(load_rows({table_body({{7, 30}, {8, kHuge}})}, 60), kCorrupt, 2968);  // F-346
  expect_error(load_rows({table_body({{7, 30}})}, 31), kCorrupt, 2969);              // F-346
  expect_error(load_rows({}, 0), kCorrupt, 2969);                                    // F-346
}

}  // namespace
}  // namespace dgfs::format
