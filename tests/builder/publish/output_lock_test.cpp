// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Two builds that share an output: the second is refused, and no lock file remains.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "storage/testing/faulty_env.h"
#include "tests/builder/build_fixture.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

class OutputLockTest : public BuildFixture {
 protected:
  OutputLockTest() {
    for (const std::string path : {"/out", "/v"}) EXPECT_TRUE(env_->make_directory(path, 0755));
    for (unsigned i = 0; i < 20; ++i) tree_.file(std::to_string(i), noise(1000, i));
  }
  builder::BuildOptions options(const std::string& image, const std::string& index = {},
                                std::vector<std::string> volumes = {}) {
    auto options = options_for(tree_, image);
    if (!index.empty()) options.index_path = index;
    options.volume_paths = std::move(volumes);
    options.volume_groups = builder::GroupLimits{3, 1 << 20};
    return options;
  }
  /// Runs `meanwhile` when the build of `options` opens its first file.
  Result<builder::BuildReport> build_with(const builder::BuildOptions& options,
                                          const std::function<void()>& meanwhile) {
    bool has_run = false;
    HookEnv env(*env_, [&](storage::CallKind kind, const std::string& path) -> Status {
      const bool is_first = kind == storage::CallKind::kOpen && path == "/src/0";
      if (is_first && !std::exchange(has_run, true)) meanwhile();
      return ok();
    });
    auto report = builder::build(env, options);
    EXPECT_TRUE(has_run);
    return report;
  }
  std::vector<std::string> names_in(const std::string& path) {
    return env_->open_directory(path).value()->list().value();
  }
};

TEST_F(OutputLockTest, TheSecondBuildToOneOutputIsRefused) {
  std::optional<Error> refused;
  const auto first = build_with(options("/out/i"), [&] {
    tree_.file("more", "more");
    auto second = builder::build(*env_, options("/out/i"));
    ASSERT_FALSE(second);
    refused = std::move(second).error();
  });
  ASSERT_TRUE(first) << first.error().message();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind(), ErrorKind::kBusy);
  EXPECT_EQ(refused->message(), "/out/i: another dgfs command (process 4711) is writing this file");
  EXPECT_EQ(names_in("/out"), (std::vector<std::string>{"i", "i.idx"}));
  EXPECT_EQ(dump("/out/i", "/out/i.idx").nodes.size(), 21U);
  EXPECT_TRUE(builder::build(*env_, options("/out/i")));
}

TEST_F(OutputLockTest, IsOfEachOutputWhereverItIs) {
  const auto root = env_->open_directory("/").value();
  ASSERT_TRUE(root->make_symlink("link", "v"));
  const auto first = build_with(options("/out/i", "/v/index", {"/v/a", "/out/b"}), [&] {
    for (const auto& [second, path] : std::vector<std::pair<builder::BuildOptions, std::string>>{
             {options("/out/j", "/v/index"), "/v/index"},
             {options("/out/j", "/link/../v/index"), "/link/../v/index"},
             {options("/out/j", "", {"/link/a"}), "/link/a"},
             {options("/out/b"), "/out/b"},
             {options("/out/j", "/out/i"), "/out/i"}}) {
      const auto report = builder::build(*env_, second);
      ASSERT_FALSE(report) << path;
      EXPECT_EQ(report.error().kind(), ErrorKind::kBusy) << report.error().message();
      EXPECT_EQ(report.error().file(), path);
    }
    EXPECT_TRUE(builder::build(*env_, options("/out/other", "/v/other", {"/v/c"})));
  });
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(names_in("/v"), (std::vector<std::string>{"a", "c", "index", "other"}));
}

// The lock file is made before the scan, and may lie in the tree that is scanned.
TEST_F(OutputLockTest, IsNotPacked) {
  for (const std::string leftover : {"", "4711"}) {
    if (!leftover.empty()) {
      const auto file = env_->open("/src/.i.lock", {storage::OpenOptions::Mode::kCreateNew});
      ASSERT_TRUE(file.value()->write_at(0, as_bytes(leftover)));
    }
    ASSERT_TRUE(builder::build(*env_, options("/src/i")));
    EXPECT_EQ(dump("/src/i").nodes.size(), 21U);
    EXPECT_FALSE(env_->status("/src/.i.lock"));
  }
}

TEST_F(OutputLockTest, OfABuildThatWasKilledIsInNobodysWay) {
  for (std::uint64_t call = 1;; call += 3) {
    const auto faulty = storage::make_faulty_env(*env_, 1);
    faulty->arm({storage::FaultKind::kStop, call, false});
    auto killed = options("/out/i");
    killed.jobs = 1;
    static_cast<void>(builder::build(*faulty, killed));
    const bool has_fired = faulty->fired() != 0;
    const auto next = builder::build(*env_, options("/out/i"));
    ASSERT_TRUE(next) << call << ": " << next.error().message();
    EXPECT_FALSE(env_->status("/out/.i.lock")) << call;
    EXPECT_FALSE(env_->status("/out/.i.idx.lock")) << call;
    if (!has_fired) break;
    ASSERT_LT(call, 10000U);
  }
}

}  // namespace
}  // namespace dgfs::test
