// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each storage call of a build fails once: the outputs stay as before. Each call is the last before
// a power cut: then an image opens, the old one or the new one.
#include <gtest/gtest.h>

#include <optional>
#include <tuple>
#include <utility>

#include "builder/build.h"
#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"

namespace dgfs::test {
namespace {

using storage::FaultKind;

std::vector<std::string> names_in(storage::Env& env, const std::string& path) {
  auto names = env.open_directory(path).value()->list().value();
  std::sort(names.begin(), names.end());
  return names;
}

// Parameters: whether an old image exists, and whether contents are compressed.
class BuildCrashTest : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  BuildCrashTest() {
    EXPECT_TRUE(env_->make_directory("/out", 0755));
    tree_.directory("d");
    tree_.file("d/f", "old content");
    tree_.file("g", noise(70000, 1));
    tree_.file("words", std::string(200000, 'w'));
    tree_.file("words again", std::string(200000, 'w'));
    tree_.link("g", "d/g");
    tree_.xattr("d/f", "user.x", "1");
    if (has_old()) {
      EXPECT_TRUE(builder::build(*env_, options()));
      image_ = read_whole(*env_, "/out/i").value();
      index_ = read_whole(*env_, "/out/i.idx").value();
      tree_.file("new", "new content");
    }
    EXPECT_TRUE(env_->sync_directory("/"));
    EXPECT_TRUE(env_->sync_directory("/out"));
  }

  static bool has_old() { return std::get<0>(GetParam()); }
  static builder::BuildOptions options_of(const SourceTree& tree) {
    auto options = options_for(tree, "/out/i");
    if (std::get<1>(GetParam())) options.compression = builder::Compression{3};
    return options;
  }
  builder::BuildOptions options() {
    auto options = options_of(tree_);
    options.jobs = jobs_;
    return options;
  }
  void expect_as_before(std::uint64_t call) {
    if (!image_) {
      EXPECT_TRUE(names_in(*env_, "/out").empty()) << "call " << call;
      return;
    }
    EXPECT_EQ(names_in(*env_, "/out"), (std::vector<std::string>{"i", "i.idx"})) << call;
    EXPECT_EQ(read_whole(*env_, "/out/i").value(), *image_) << "call " << call;
    EXPECT_EQ(read_whole(*env_, "/out/i.idx").value(), *index_) << "call " << call;
  }
  /// Restores the outputs after a build that succeeded in spite of a fault.
  void restore() {
    for (const std::string& name : names_in(*env_, "/out")) {
      ASSERT_TRUE(env_->remove("/out/" + name));
    }
    if (!image_) return;
    for (const auto& [path, bytes] : {std::pair("/out/i", &*image_), {"/out/i.idx", &*index_}}) {
      const auto file = env_->open(path, {storage::OpenOptions::Mode::kCreateNew});
      ASSERT_TRUE(file.value()->write_at(0, *bytes));
    }
  }
  void fail_every_call(FaultKind kind, std::uint64_t failures_min) {
    const auto faulty = storage::make_faulty_env(*env_, 1);
    std::uint64_t failures = 0;
    for (std::uint64_t call = 1;; ++call) {
      faulty->arm({kind, call, false});
      const auto report = builder::build(*faulty, options());
      if (faulty->calls() < call) break;
      // A build survives a fault while it removes old files, and one that does not apply to the
      // call.
      if (report) {
        restore();
      } else {
        ++failures;
        expect_as_before(call);
      }
    }
    EXPECT_GT(failures, failures_min);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
  unsigned jobs_ = 1;
  std::optional<Buffer> image_;
  std::optional<Buffer> index_;
};

INSTANTIATE_TEST_SUITE_P(OldImage, BuildCrashTest,
                         testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(BuildCrashTest, AnIoErrorLeavesTheOutputsAsBefore) {
  fail_every_call(FaultKind::kIoError, 30);
}

TEST_P(BuildCrashTest, AnIoErrorInAnyThreadLeavesTheOutputsAsBefore) {
  jobs_ = 4;
  fail_every_call(FaultKind::kIoError, 30);
}

TEST_P(BuildCrashTest, ATornWriteLeavesTheOutputsAsBefore) {
  fail_every_call(FaultKind::kTornWrite, 3);
}

TEST_P(BuildCrashTest, AFullDeviceLeavesTheOutputsAsBefore) {
  fail_every_call(FaultKind::kNoSpace, 5);
}

TEST_P(BuildCrashTest, APowerCutLeavesAnImageThatOpens) {
  for (std::uint64_t call = 1;; ++call) {
    const auto env = storage::make_memory_env(1);
    SourceTree tree(*env, "/src");
    ASSERT_TRUE(env->make_directory("/out", 0755));
    tree.file("f", "content");
    auto options = options_of(tree);
    options.jobs = 1;
    ASSERT_TRUE(env->sync_directory("/"));
    if (has_old()) {
      ASSERT_TRUE(builder::build(*env, options));
    }
    options.created_seconds = 5;
    const auto faulty = storage::make_faulty_env(*env, 1);
    faulty->arm({FaultKind::kStop, call, false});
    const bool built = builder::build(*faulty, options).has_value();
    const bool fired = faulty->fired() != 0;
    env->crash(storage::CrashLoss::kDropUnsynced, 1);
    const bool there = env->status("/out/i").has_value();
    EXPECT_TRUE(there || (!has_old() && !built)) << call;
    if (there) {
      const auto image = dump_image(*env, "/out/i");
      ASSERT_TRUE(image) << "call " << call << ": " << image.error().message();
      if (env->status("/out/i.idx")) {
        EXPECT_TRUE(dump_image(*env, "/out/i", "/out/i.idx")) << call;
      }
    }
    if (!fired) break;
    ASSERT_LT(call, 10000);
  }
}

TEST(BuildFullDevice, IsReportedAsSuch) {
  const auto env = storage::make_memory_env(1);
  SourceTree tree(*env, "/src");
  tree.file("f", noise(1 << 20, 1));
  env->set_capacity(3 << 19);
  const auto report = builder::build(*env, options_for(tree, "/i"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kNoSpace);
  EXPECT_FALSE(env->status("/i"));
  env->set_capacity(1 << 24);
  EXPECT_TRUE(builder::build(*env, options_for(tree, "/i")));
}

}  // namespace
}  // namespace dgfs::test
