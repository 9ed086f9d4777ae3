// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/kept_extents.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "format/content/extent.h"
#include "storage/memory/env.h"
#include "tests/support/random.h"

namespace dgfs::builder {
namespace {

class KeptExtentsTest : public testing::Test {
 protected:
  [[nodiscard]] KeptExtents begin() const { return KeptExtents({env_.get(), "/"}); }

  static ScannedEntry file(format::VolumeNumber volume, std::uint64_t offset_bytes,
                           std::uint64_t stored_bytes) {
    ScannedEntry entry;
    entry.size_bytes = stored_bytes;
    entry.kept.emplace();
    entry.kept->address = {volume, offset_bytes};
    entry.kept->stored_bytes = stored_bytes;
    return entry;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
};

TEST_F(KeptExtentsTest, NoExtentsUseNothing) {
  auto uses = begin().finish();
  ASSERT_TRUE(uses);
  EXPECT_TRUE(uses.value().empty());
}

TEST_F(KeptExtentsTest, AByteCountsOnceButEachNameCounts) {
  auto kept = begin();
  ASSERT_TRUE(kept.add(file(1, 4096, 100)));
  ASSERT_TRUE(kept.add(file(1, 4096, 100)));  // the same content
  ASSERT_TRUE(kept.add(file(1, 4150, 100)));  // the frame goes on
  ASSERT_TRUE(kept.add(file(2, 4150, 7)));
  auto uses = std::move(kept).finish();
  ASSERT_TRUE(uses);
  EXPECT_EQ(uses.value().at(1).extent_bytes, 154U);
  EXPECT_EQ(uses.value().at(1).files, 3U);
  EXPECT_EQ(uses.value().at(1).content_bytes, 300U);
  EXPECT_EQ(uses.value().at(2).extent_bytes, 7U);
}

TEST_F(KeptExtentsTest, RawBytesLeaveOutHolesAndFurtherNames) {
  auto kept = begin();
  ASSERT_TRUE(kept.add(file(1, 4096, 100)));
  auto sparse = file(1, 8192, 50);
  sparse.size_bytes = 1 << 20;
  const Buffer map(3);
  sparse.kept->sparse_map = map;
  ASSERT_TRUE(kept.add(sparse));
  auto linked = file(1, 9000, 10);
  linked.flags = kRecordMultiplyLinked;
  ASSERT_TRUE(kept.add(linked));
  auto uses = std::move(kept).finish();
  ASSERT_TRUE(uses);
  EXPECT_EQ(uses.value().at(1).raw_extent_bytes, format::raw_extent_bytes(100) + 50);
  EXPECT_EQ(uses.value().at(1).content_bytes, 100U + (1U << 20) + 10U);
}

TEST_F(KeptExtentsTest, AgreesWithASetOfBytes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::Random random(seed);
    std::map<format::VolumeNumber, std::set<std::uint64_t>> used;
    std::map<format::VolumeNumber, std::uint64_t> files;
    auto kept = begin();
    std::uint64_t next = 0;
    for (int i = 0; i < 300; ++i) {
      const auto volume = static_cast<format::VolumeNumber>(random.below(3));
      // Neighbours in a row, as a scan finds them, and others.
      const auto offset = random.one_in(2) ? next : random.below(4000);
      const auto bytes = random.below(60);
      next = offset + bytes;
      ASSERT_TRUE(kept.add(file(volume, offset, bytes)));
      ++files[volume];
      for (auto at = offset; at < next; ++at) used[volume].insert(at);
    }
    auto uses = std::move(kept).finish();
    ASSERT_TRUE(uses);
    ASSERT_EQ(uses.value().size(), files.size());
    for (const auto& [volume, use] : uses.value()) {
      EXPECT_EQ(use.extent_bytes, used[volume].size()) << "seed " << seed;
      EXPECT_EQ(use.files, files[volume]) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dgfs::builder
