// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/spool.h"

#include <gtest/gtest.h>

#include "builder/losses.h"
#include "builder/spool/tree_spool.h"
#include "storage/memory/env.h"
#include "tests/support/random.h"

namespace dgfs::builder {
namespace {

class SpoolTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SpoolPlace place_{env_.get(), "/", GetParam()};
};

TEST_P(SpoolTest, GivesBackWhatWasWritten) {
  test::Random random(3);
  Spool spool(place_);
  Buffer expected;
  for (int i = 0; i < 200; ++i) {
    const Buffer bytes = random.bytes(random.below(50));
    expected.insert(expected.end(), bytes.begin(), bytes.end());
    ASSERT_TRUE(spool.append(bytes));
  }
  for (int i = 0; i < 20; ++i) {
    const auto at = random.below(expected.size());
    expected[at] = 0xee;
    ASSERT_TRUE(spool.patch(at, Buffer{0xee}));
  }
  ASSERT_EQ(spool.size_bytes(), expected.size());
  for (int i = 0; i < 100; ++i) {
    const auto begin = random.below(expected.size());
    Buffer read(random.below(expected.size() - begin + 1));
    ASSERT_TRUE(spool.read(begin, read));
    EXPECT_TRUE(std::equal(read.begin(), read.end(), expected.begin() + std::ptrdiff_t(begin)));
  }
  SpoolCursor cursor(spool, 5, expected.size() - 5, 64);
  for (std::size_t at = 5; !cursor.at_end();) {
    const auto count = std::min<std::uint64_t>(random.below(200), cursor.remaining_bytes());
    const auto bytes = cursor.take(count);
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(std::equal(bytes.value().begin(), bytes.value().end(),
                           expected.begin() + std::ptrdiff_t(at)));
    at += count;
    EXPECT_EQ(cursor.offset_bytes(), at);
  }
  EXPECT_EQ(cursor.take(1).error().kind(), ErrorKind::kCorrupt);
}

TEST_P(SpoolTest, TreeRecordsComeBackInOrder) {
  TreeSpool tree(place_);
  const std::string target(4000, 't');
  const std::string prefix_a("a\0", 2);
  const std::string prefix_b("a\0b\0", 4);
  ScannedEntry entry;
  entry.mode = 0100644;
  entry.mtime = {-1, 999999999};
  entry.inode = ~std::uint64_t{0};
  entry.name = "name";
  entry.target = target;
  ASSERT_TRUE(tree.begin_directory({}));
  const auto first = tree.add(entry);
  ASSERT_TRUE(tree.begin_directory(prefix_b));
  ASSERT_TRUE(tree.begin_directory(prefix_a));
  ASSERT_TRUE(tree.add(entry));
  ASSERT_TRUE(tree.omit(first.value()));

  TreeReader reader(tree);
  ASSERT_TRUE(reader.next().value());
  const auto omitted = decode_entry_record(*reader.next().value());
  EXPECT_TRUE(omitted.value().is_omitted());
  ASSERT_TRUE(reader.next().value());
  EXPECT_EQ(reader.prefix(), prefix_b);
  ASSERT_TRUE(reader.next().value());
  EXPECT_EQ(reader.prefix(), prefix_a);
  const auto record = *reader.next().value();
  const auto read = decode_entry_record(record).value();
  EXPECT_FALSE(read.is_omitted());
  EXPECT_EQ(read.mtime, entry.mtime);
  EXPECT_EQ(read.inode, entry.inode);
  EXPECT_EQ(read.target, target);
  EXPECT_FALSE(reader.next().value());
}

TEST_P(SpoolTest, SamplesAreSpreadAndBounded) {
  TreeSpool tree(place_);
  ScannedEntry entry;
  ASSERT_TRUE(tree.begin_directory({}));
  std::string name;
  for (int i = 0; i < 100000; ++i) {
    name = std::to_string(i);
    entry.name = name;
    ASSERT_TRUE(tree.add(entry));
  }
  const auto& points = tree.sample_points();
  ASSERT_GE(points.size(), TreeSpool::kSamplePointsMax / 2);
  ASSERT_LE(points.size(), TreeSpool::kSamplePointsMax);
  const int stride = 2048;
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].position, i * stride);
    TreeReader reader(tree, points[i]);
    const auto read = decode_entry_record(*reader.next().value());
    EXPECT_EQ(read.value().name, std::to_string(static_cast<int>(i) * stride));
  }
}

INSTANTIATE_TEST_SUITE_P(Buffer, SpoolTest, testing::Values(1, 100, 1 << 20));

TEST(OmittedPositions, CountsWhatIsBefore) {
  OmittedPositions omitted;
  for (const std::uint64_t position : {2U, 3U, 4U, 9U, 11U}) {
    ASSERT_TRUE(omitted.add(position));
  }
  const std::uint64_t counts[] = {0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 4, 4, 5, 5};
  for (std::uint64_t position = 0; position < std::size(counts); ++position) {
    EXPECT_EQ(omitted.count_before(position), counts[position]) << position;
  }
  EXPECT_TRUE(omitted.contains(3));
  EXPECT_TRUE(omitted.contains(11));
  EXPECT_FALSE(omitted.contains(5));
  EXPECT_FALSE(omitted.contains(12));
}

}  // namespace
}  // namespace dgfs::builder
