// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Builds whose many threads meet: for the thread sanitizer, and for builds that end early.
#include <gtest/gtest.h>

#include <atomic>

#include "storage/memory/env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

constexpr int kDirectories = 12;
constexpr int kFiles = 40;

std::string path_of(int directory, int file) {
  return "d" + std::to_string(directory) + "/f" + std::to_string(file) + ".txt";
}

// Every third file has a content that others have, too.
std::string content_of(int directory, int file) {
  const int number = file % 3 == 0 ? file : directory * kFiles + file;
  std::string text;
  for (int i = 0; i < 40 + number; ++i) text += "line " + std::to_string(number * i) + "\n";
  return text;
}

// Parameter: whether contents are compressed; if so, they are spread over volumes, too.
class BuildThreadsTest : public testing::TestWithParam<bool> {
 protected:
  BuildThreadsTest() {
    for (int d = 0; d < kDirectories; ++d) {
      tree_.directory("d" + std::to_string(d));
      for (int i = 0; i < kFiles; ++i) tree_.file(path_of(d, i), content_of(d, i));
      tree_.link(path_of(d, 1), "d" + std::to_string(d) + "/link");
    }
    // The memory is small, so this file comes in pieces.
    tree_.file("large", noise(3'000'000, 1));
    tree_.file("large again", noise(3'000'000, 1));
  }
  builder::BuildOptions build_options() {
    auto options = options_for(tree_, "/i");
    options.jobs = 8;
    options.memory_bytes = std::size_t{16} << 20;
    if (GetParam()) {
      options.compression = builder::Compression{1};
      options.volume_paths = {"/v1", "/v2"};
      options.volume_groups = builder::GroupLimits{30, 100'000};
    }
    return options;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
};
INSTANTIATE_TEST_SUITE_P(RawAndCompressed, BuildThreadsTest, testing::Bool());

TEST_P(BuildThreadsTest, EverythingIsPacked) {
  const auto report = builder::build(*env_, build_options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report.value().shared_files, std::uint64_t{(kDirectories - 1) * 14 + 1});
  const auto image = dump_image(*env_, "/i");
  ASSERT_TRUE(image) << image.error().message();
  for (int d = 0; d < kDirectories; ++d) {
    for (int i = 0; i < kFiles; ++i) {
      EXPECT_EQ(image.value().nodes.at(path_of(d, i)).content, content_of(d, i));
    }
  }
}

TEST_P(BuildThreadsTest, FilesThatChangeMeanwhileAreLeftOut) {
  std::atomic<int> changes = 0;
  HookEnv env(*env_, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (kind == storage::CallKind::kRead && path.ends_with("/f5.txt")) {
      ++changes;
      return Error(ErrorKind::kIo, 1, "unreadable");
    }
    return ok();
  });
  auto options = build_options();
  options.keep_going = true;
  const auto report = builder::build(env, options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report.value().loss_count, std::uint64_t{kDirectories});
  EXPECT_GE(changes, kDirectories);
}

TEST_P(BuildThreadsTest, AStopEndsAllOfThem) {
  for (const int reads : {1, 30, 200}) {
    std::atomic<bool> stop = false;
    std::atomic<int> seen = 0;
    HookEnv env(*env_, [&](storage::CallKind kind, const std::string&) -> Status {
      if (kind == storage::CallKind::kRead && ++seen == reads) stop = true;
      return ok();
    });
    auto options = build_options();
    options.stop = &stop;
    const auto report = builder::build(env, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind(), ErrorKind::kInterrupted);
    EXPECT_FALSE(env_->status("/i"));
  }
}

}  // namespace
}  // namespace dgfs::test
