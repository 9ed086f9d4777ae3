// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/segment_list.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/random.h"

namespace dgfs::builder {
namespace {

// A list and the sparse map of the same segments.
struct Both {
  SegmentList list;
  format::SparseMap map;

  void add(std::uint64_t begin, std::uint64_t length) {
    list.add(begin, length);
    map.add(begin, length);
  }
  void expect_same() const {
    EXPECT_EQ(list.count(), map.segments().size());
    EXPECT_EQ(list.content_bytes(), map.content_bytes());
    Buffer ours = {7};  // the encoder appends to this byte
    Buffer expected = {7};
    list.encode(ours);
    map.encode(expected);
    EXPECT_EQ(ours, expected);
  }
};

Both random_segments(std::size_t count) {
  test::SeededEngine random(count);
  Both both;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = end + random() % 100'000 + (i == 0 ? 0 : 1);
    const auto length = 1 + random() % 10'000;
    both.add(begin, length);
    end = begin + length;
  }
  return both;
}

TEST(SegmentList, IsEncodedAsTheSparseMap) {
  for (const std::size_t count : {0U, 1U, 2U, 1023U, 1024U, 1025U, 5000U}) {
    random_segments(count).expect_same();
  }
}

TEST(SegmentList, HoldsSegmentsAtTheEndOfAllFiles) {
  Both both;
  both.add(0, 1);
  both.add(std::numeric_limits<std::int64_t>::max() - 1, 1);
  both.expect_same();
  EXPECT_EQ(SegmentList::Reader(both.list, 1).next(), both.map.segments()[1]);
}

// Reads start at the first and at the last byte of each segment, and go to the end.
TEST(SegmentList, IsReadFromAnyByteOn) {
  const auto both = random_segments(2500);
  const auto& segments = both.map.segments();
  for (std::size_t i = 0; i < segments.size(); i += i % 1024 < 1020 ? 7 : 1) {
    for (const auto content : {segments[i].content, segments[i].content + segments[i].length - 1}) {
      SegmentList::Reader reader(both.list, content);
      for (auto at = i; at < std::min(i + 1100, segments.size()); ++at) {
        ASSERT_EQ(reader.next(), segments[at]) << i;
      }
    }
  }
}

TEST(SegmentList, TakesAFewBytesForASegment) {
  SegmentList list;
  constexpr std::size_t kCount = 100'000;
  for (std::size_t i = 0; i < kCount; ++i) list.add(i * 8192 + 4096, 4096);
  EXPECT_LT(list.memory_bytes(), 5 * kCount);
}

}  // namespace
}  // namespace dgfs::builder
