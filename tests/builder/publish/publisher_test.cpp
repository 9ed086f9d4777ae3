// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An index that lies where readers look for one, when the new image has none there; and the rule
// that a file gets its name only after it is synced.
#include "builder/publish/publisher.h"

#include <gtest/gtest.h>

#include "builder/build.h"
#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

class ReplacedIndexTest : public testing::TestWithParam<std::string> {
 protected:
  ReplacedIndexTest() {
    EXPECT_TRUE(env_->make_directory("/out", 0755));
    EXPECT_TRUE(env_->make_directory("/far", 0755));
    tree_.file("old", "old");
    tree_.file("new", "new");
    begin_anew();
  }
  /// Puts back the old image with its index, and nothing else.
  void begin_anew() {
    for (const std::string directory : {"/out", "/far"}) {
      for (const std::string& name : names_in(directory)) {
        ASSERT_TRUE(env_->remove(directory + "/" + name));
      }
    }
    auto options = options_for(tree_, "/out/i");
    options.rules.add(rules::RuleAction::kExclude, "new");
    ASSERT_TRUE(builder::build(*env_, options));
  }
  /// The parameter says where the index goes: nowhere or elsewhere.
  [[nodiscard]] builder::BuildOptions options() const {
    auto options = options_for(tree_, "/out/i");
    options.index_path = GetParam();
    return options;
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& directory) {
    return env_->open_directory(directory).value()->list().value();
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
};

INSTANTIATE_TEST_SUITE_P(IndexPath, ReplacedIndexTest, testing::Values("", "/far/index"));

TEST_P(ReplacedIndexTest, GoesWithItsImage) {
  ASSERT_TRUE(builder::build(*env_, options()));
  EXPECT_EQ(names_in("/out"), std::vector<std::string>{"i"});
  const auto image = dump_image(*env_, "/out/i", GetParam());
  ASSERT_TRUE(image);
  EXPECT_TRUE(image.value().nodes.contains("new"));
}

TEST_P(ReplacedIndexTest, StaysIfItIsOfAnotherImage) {
  tree_.file("third", "third");
  ASSERT_TRUE(builder::build(*env_, options_for(tree_, "/far/j")));
  ASSERT_TRUE(env_->rename("/far/j.idx", "/out/i.idx"));
  ASSERT_TRUE(builder::build(*env_, options()));
  EXPECT_TRUE(env_->status("/out/i.idx"));
  EXPECT_TRUE(dump_image(*env_, "/far/j", "/out/i.idx"));
}

TEST_P(ReplacedIndexTest, IsBackAfterAnyFailure) {
  std::uint64_t failures = 0;
  for (std::uint64_t call = 1;; ++call) {
    const auto faulty = storage::make_faulty_env(*env_, 1);
    faulty->arm({storage::FaultKind::kIoError, call, false});
    if (builder::build(*faulty, options())) {
      if (faulty->fired() == 0) break;
      begin_anew();  // the build survives this fault, such as one while it removes old files
      continue;
    }
    ++failures;
    EXPECT_EQ(names_in("/out").size(), 2) << call;
    const auto image = dump_image(*env_, "/out/i", "/out/i.idx");
    ASSERT_TRUE(image) << call;
    EXPECT_FALSE(image.value().nodes.contains("new")) << call;
  }
  EXPECT_GT(failures, 20);
}

// No file gets a second name, as on vfat.
HookEnv::Hook refuse_link() {
  return [](storage::CallKind kind, const std::string&) -> Status {
    if (kind != storage::CallKind::kLink) return ok();
    return Error(ErrorKind::kPermission, 9100, "no hard links here");
  };
}

TEST_P(ReplacedIndexTest, GoesWithItsImageWithoutHardLinksToo) {
  HookEnv env(*env_, refuse_link());
  ASSERT_TRUE(builder::build(env, options()));
  EXPECT_EQ(names_in("/out"), std::vector<std::string>{"i"});
}

TEST_P(ReplacedIndexTest, IsBackAfterAnyFailureWithoutHardLinksToo) {
  std::uint64_t failures = 0;
  for (std::uint64_t call = 1;; ++call) {
    const auto faulty = storage::make_faulty_env(*env_, 1);
    faulty->arm({storage::FaultKind::kIoError, call, false});
    HookEnv env(*faulty, refuse_link());
    if (builder::build(env, options())) {
      if (faulty->fired() == 0) break;
      begin_anew();
      continue;
    }
    ++failures;
    EXPECT_EQ(names_in("/out").size(), 2) << call;
    const auto image = dump_image(*env_, "/out/i", "/out/i.idx");
    ASSERT_TRUE(image) << call;
    EXPECT_FALSE(image.value().nodes.contains("new")) << call;
  }
  EXPECT_GT(failures, 20);
}

// Syncing gigabytes takes minutes; killed meanwhile, a named build would leave a hidden large file.
TEST(Publisher, NamesNothingThatIsNotSynced) {
  const auto memory_env = storage::make_memory_env(1);
  SourceTree tree(*memory_env, "/src");
  tree.file("f", "content");
  for (const std::string index_path : {"", "/i.idx"}) {
    std::string calls;
    HookEnv env(*memory_env, [&](storage::CallKind kind, const std::string&) -> Status {
      if (kind == storage::CallKind::kWrite) calls += 'w';
      if (kind == storage::CallKind::kSync) calls += 's';
      if (kind == storage::CallKind::kPublish) calls += 'p';
      return ok();
    });
    auto options = options_for(tree, "/i");
    options.index_path = index_path;
    options.jobs = 1;
    ASSERT_TRUE(builder::build(env, options));
    const std::string files = index_path.empty() ? "s" : "ss";
    const auto first_name = calls.find('p');
    EXPECT_TRUE(calls.substr(0, first_name).ends_with("w" + files)) << calls;
    EXPECT_EQ(calls.find('w', first_name), std::string::npos) << calls;
  }
}

}  // namespace
}  // namespace dgfs::test
