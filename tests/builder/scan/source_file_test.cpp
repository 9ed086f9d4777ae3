// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/source_file.h"

#include <gtest/gtest.h>

#include "builder/build.h"
#include "format/limits.h"
#include "storage/memory/env.h"
#include "storage/wrapped.h"
#include "tests/builder/source_tree.h"

namespace dgfs::test {
namespace {

using builder::SourceFile;

constexpr std::uint64_t kStepBytes = 8192;

// Claims a byte of data in each 8 KiB of each file. No file system holds so many segments as fast.
class PerforatedDevice final : public storage::CallObserver {
 public:
  Result<storage::DataSegment> next_data(const storage::File& file, std::uint64_t offset_bytes,
                                         const std::string& /*path*/) override {
    DGFS_TRY(size_bytes, file.size());
    const auto begin = (offset_bytes + kStepBytes - 1) / kStepBytes * kStepBytes;
    if (begin >= size_bytes) return storage::DataSegment{size_bytes, size_bytes};
    return storage::DataSegment{begin, begin + 1};
  }
};

class PerforatedEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  using WrappedEnv::WrappedEnv;

 protected:
  [[nodiscard]] storage::CallObserver& observer() const override { return observer_; }

 private:
  mutable PerforatedDevice observer_;
};

class SourceFileHoles : public testing::Test {
 protected:
  // Makes a file "f" with that many data segments, each followed by a hole.
  void make_file(std::uint64_t segments) { tree_.sparse("f", segments * kStepBytes, 0, "x"); }
  Result<SourceFile> file_with_holes() {
    DGFS_TRY(directory, env_.open_directory(tree_.path()));
    DGFS_TRY(file, SourceFile::open(*directory, "f"));
    DGFS_CHECK(file.find_holes(builder::StopFlag(nullptr)));
    return file;
  }

  std::unique_ptr<storage::Env> memory_ = storage::make_memory_env(1);
  PerforatedEnv env_{*memory_};
  SourceTree tree_{*memory_, "/src"};
};

TEST_F(SourceFileHoles, AsManyAsAMapHolds) {
  make_file(format::kSparseSegmentsMax);
  const auto file = file_with_holes();
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file.value().segments()->count(), format::kSparseSegmentsMax);
  EXPECT_EQ(file.value().content_bytes(), format::kSparseSegmentsMax * kStepBytes / 2);
}

// Blocks of attributes and maps count as space of a file too.
TEST_F(SourceFileHoles, AreFoundInAFileThatTakesItsWholeSize) {
  tree_.file("f", std::string(3 * kStepBytes, 'x'));
  const auto file = file_with_holes();
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_GE(file.value().status().allocated_bytes, file.value().size_bytes());
  ASSERT_NE(file.value().segments(), nullptr);
  EXPECT_EQ(file.value().segments()->count(), 3U);
}

TEST_F(SourceFileHoles, OneMoreIsRefusedAndNothingIsLeft) {
  make_file(format::kSparseSegmentsMax + 1);
  const auto report = builder::build(env_, options_for(tree_, "/image"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kLimit);
  EXPECT_NE(report.error().message().find("/src/f: has too many holes"), std::string::npos)
      << report.error().message();
  EXPECT_FALSE(memory_->status("/image"));
  EXPECT_FALSE(memory_->status("/image.idx"));
}

}  // namespace
}  // namespace dgfs::test
