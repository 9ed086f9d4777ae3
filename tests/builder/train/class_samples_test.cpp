// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/class_samples.h"

#include <gtest/gtest.h>

namespace dgfs::builder {
namespace {

constexpr std::size_t kFileBytes = 1000;

// Passes files of equal length, and takes a sample of each that is wanted.
std::vector<RunSamples> pass_files(std::uint64_t count, std::uint64_t runs,
                                   std::size_t sample_bytes) {
  ClassSamples files(count * kFileBytes, runs);
  std::vector<RunSamples> ended;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (files.run_ends()) ended.push_back(files.take_run());
    if (files.pass(3 * i, kFileBytes)) files.add(Buffer(sample_bytes));
  }
  ended.push_back(files.take_run());
  return ended;
}

TEST(ClassSamples, RunsHaveEqualContentAndBeginWhereTheLastOneEnds) {
  const auto runs = pass_files(60'000, 3, kFileBytes);
  ASSERT_EQ(runs.size(), 3U);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].begin, 60'000 * i);
    EXPECT_EQ(runs[i].content_bytes, 20'000 * kFileBytes);
    EXPECT_GE(runs[i].bytes(), ClassSamples::kSampleBytesMax - kFileBytes);
    EXPECT_LE(runs[i].bytes(), ClassSamples::kSampleBytesMax + kFileBytes);
    EXPECT_EQ(runs[i].bytes(), runs[i].count() * kFileBytes);
    EXPECT_EQ(runs[i].file_count, 20'000U);
    EXPECT_EQ(runs[i].tried.lengths.size(), runs[i].count() / RunSamples::kTriedShare + 1);
  }
}

TEST(ClassSamples, ASmallClassIsSampledWhole) {
  const auto runs = pass_files(100, 1, kFileBytes);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].count(), 100U);
  EXPECT_EQ(runs[0].content_bytes, 100 * kFileBytes);
}

TEST(ClassSamples, AQuarterOfALargerClassIsSampled) {
  const auto runs = pass_files(8000, 1, kFileBytes);
  EXPECT_GE(runs[0].count(), 2000U);
  EXPECT_LE(runs[0].count(), 2001U);
}

// Short samples let more files in.
TEST(ClassSamples, SamplesAreShort) {
  const auto runs = pass_files(10'000, 1, kFileBytes / 4);
  EXPECT_EQ(runs[0].count(), 10'000U);
}

TEST(ClassSamples, AnEmptyClassHasAnEmptyRun) {
  const auto runs = pass_files(0, 1, 1);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].content_bytes, 0U);
  EXPECT_EQ(runs[0].count(), 0U);
}

}  // namespace
}  // namespace dgfs::builder
