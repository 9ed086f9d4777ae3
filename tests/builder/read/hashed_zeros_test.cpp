// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Holes in digests: hashed without being read, with progress, and stopped when the caller asks.
#include "builder/read/hashed_zeros.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "builder/build.h"
#include "builder/read/file_digest.h"
#include "storage/memory/content.h"
#include "storage/memory/env.h"
#include "storage/wrapped.h"
#include "tests/builder/source_tree.h"

namespace dgfs::test {
namespace {

using builder::FileDigest;
using builder::HashedZeros;

constexpr std::uint64_t kTerabyte = std::uint64_t{1} << 40;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr auto kSha256 = format::DigestAlgorithm::kSha256;

FileDigest make_digest(HashedZeros& hashed) {
  return FileDigest::make(kSha256, builder::StopFlag(nullptr), &hashed).value();
}

TEST(HashedZeros, AreCountedUntilTheDigestIsDoneWith) {
  auto segments = std::make_shared<builder::SegmentList>();
  segments->add(kMebibyte, 4);
  auto hasher = format::DigestHasher::make(kSha256).value();
  hasher.update(Buffer(kMebibyte));
  hasher.update(as_bytes("data"));
  hasher.update(Buffer(kMebibyte - 4));
  HashedZeros hashed = 0;
  auto digest = make_digest(hashed);
  ASSERT_TRUE(digest.begin(segments, 2 * kMebibyte));
  ASSERT_TRUE(digest.update(as_bytes("data")));
  EXPECT_EQ(hashed, kMebibyte);
  {
    const auto made = digest.finish().value();
    EXPECT_EQ(made.digest, hasher.finish().value());
    EXPECT_EQ(hashed, 2 * kMebibyte - 4);
  }
  EXPECT_EQ(hashed, 0U);
}

TEST(HashedZeros, OfAFileThatIsGivenUpAreNotCounted) {
  HashedZeros hashed = 0;
  {
    auto digest = make_digest(hashed);
    for (int i = 0; i < 2; ++i) {
      auto segments = std::make_shared<builder::SegmentList>();
      segments->add(kMebibyte, 4);
      ASSERT_TRUE(digest.begin(segments, 2 * kMebibyte));
      EXPECT_EQ(hashed, 0U);
      ASSERT_TRUE(digest.update(as_bytes("d")));
      EXPECT_EQ(hashed, kMebibyte);
    }
  }
  EXPECT_EQ(hashed, 0U);
}

/// Each look at the clock takes a second; counts reads of the source.
class WatchedEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  using WrappedEnv::WrappedEnv;
  std::uint64_t monotonic_ns() const override { return ++looks_ * 1'000'000'000; }
  [[nodiscard]] std::uint64_t source_reads() const { return observer_.source_reads; }

 protected:
  [[nodiscard]] storage::CallObserver& observer() const override { return observer_; }

 private:
  struct Observer final : storage::CallObserver {
    Result<std::size_t> read(const storage::File& file, std::uint64_t offset_bytes,
                             std::span<const MutableBytes> outs, const std::string& path) override {
      if (path.starts_with("/src/")) ++source_reads;
      return file.read_at(offset_bytes, outs);
    }
    std::atomic<std::uint64_t> source_reads = 0;
  };
  mutable std::atomic<std::uint64_t> looks_ = 0;
  mutable Observer observer_;
};

class HolesInDigests : public testing::Test {
 protected:
  builder::BuildOptions options() const {
    auto options = options_for(tree_, "/image");
    options.digest = kSha256;
    return options;
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  WatchedEnv env_{*memory_};
  SourceTree tree_{*memory_, "/src"};
};

// Hashing a hole packs, reads and writes nothing, so only its own reports can stop it early.
TEST_F(HolesInDigests, AreProgressAndCanBeStopped) {
  tree_.sparse("hole", kTerabyte, 0, "");
  std::atomic<bool> stop = false;
  std::uint64_t seen = 0;
  auto with = options();
  with.stop = &stop;
  with.progress = [&](const builder::Progress& now) {
    if (now.phase != builder::Phase::kPacking || now.content_bytes == 0) return;
    seen = now.content_bytes;
    stop = true;
  };
  const auto built = builder::build(env_, with);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind(), ErrorKind::kInterrupted);
  EXPECT_GT(seen, 0U);
  EXPECT_LT(seen, kTerabyte);
  EXPECT_EQ(env_.source_reads(), 0U);
  EXPECT_FALSE(memory_->status("/image"));
}

TEST_F(HolesInDigests, AreCountedOnceInTheEnd) {
  for (const char* name : {"a", "b", "c"}) tree_.sparse(name, 40 * kMebibyte, kMebibyte, name);
  tree_.sparse("hole", 20 * kMebibyte, 0, "");
  for (const bool compressed : {false, true}) {
    auto with = options();
    if (compressed) with.compression = builder::Compression{1};
    std::vector<std::uint64_t> told;
    std::uint64_t total = 0;
    with.progress = [&](const builder::Progress& now) {
      told.push_back(now.content_bytes);
      total = now.content_bytes_total;
    };
    ASSERT_TRUE(builder::build(env_, with));
    EXPECT_EQ(total, 140 * kMebibyte);
    EXPECT_EQ(told.back(), total);
    for (const auto bytes : told) EXPECT_LE(bytes, total);
  }
}

TEST_F(HolesInDigests, AreToldBeforeTheyAreHashed) {
  tree_.sparse("a", kTerabyte, 0, "x");
  tree_.sparse("b", 2 * kTerabyte, 0, "");
  tree_.link("b", "b too");
  tree_.sparse("short", kMebibyte, 0, "");
  std::atomic<bool> stop = false;
  std::vector<format::LongHoles> told;
  auto with = options();
  with.stop = &stop;
  with.long_holes = [&](const format::LongHoles& holes) {
    EXPECT_EQ(env_.source_reads(), 0U);
    told.push_back(holes);
    stop = true;
  };
  EXPECT_EQ(builder::build(env_, with).error().kind(), ErrorKind::kInterrupted);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].bytes, 3 * kTerabyte - storage::MemoryContent::kPageBytes);
  EXPECT_EQ(told[0].files, 3U);
  EXPECT_EQ(told[0].largest_bytes, kTerabyte);
}

TEST_F(HolesInDigests, AreNotToldWhereNobodyHashesThem) {
  tree_.sparse("a", kTerabyte, 0, "x");
  int told = 0;
  auto with = options();
  with.long_holes = [&](const format::LongHoles&) { ++told; };
  with.digest.reset();
  ASSERT_TRUE(builder::build(env_, with));
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace dgfs::test
