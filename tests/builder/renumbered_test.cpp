// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sources whose file system numbers objects anew, and lets numbers pass from one object to another.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "builder/build.h"
#include "storage/memory/env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/forgetful_env.h"

namespace dgfs::test {
namespace {

class RenumberedSource : public testing::Test {
 protected:
  RenumberedSource() {
    for (int d = 0; d < 12; ++d) {
      const auto directory = "d" + std::to_string(d);
      tree_.directory(directory);
      tree_.directory(directory + "/e");
      for (int f = 0; f < 5; ++f) {
        const auto name = directory + "/e/f" + std::to_string(f);
        tree_.file(name, directory);
        tree_.time(name, {1'000'000 + d * 10 + f, 0});
      }
    }
    tree_.file("first", "shared content");
    tree_.link("first", "second");
  }
  ImageDump build(ForgetfulEnv::Numbers numbers, unsigned jobs) {
    ForgetfulEnv env(*env_, tree_.path(), numbers);
    auto options = options_for(tree_, "/i");
    options.jobs = jobs;
    const auto report = builder::build(env, options);
    EXPECT_TRUE(report) << report.error().message();
    auto image = dump_image(*env_, "/i");
    EXPECT_TRUE(image) << image.error().message();
    return std::move(image).value();
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
};

// Each call shows another number.
TEST_F(RenumberedSource, IsPackedWhole) {
  for (const unsigned jobs : {1U, 4U}) {
    const auto image = build(ForgetfulEnv::Numbers::kNew, jobs);
    EXPECT_EQ(image.nodes.size(), 1U + 12 * 7 + 2);
    EXPECT_EQ(image.nodes.at("d7/e/f3").content, "d7");
  }
}

// All objects show the same number, and two links of theirs are claimed.
TEST_F(RenumberedSource, NoLinkIsInventedFromANumber) {
  const auto image = build(ForgetfulEnv::Numbers::kSame, 4);
  EXPECT_EQ(image.nodes.at("d0/e/f0").content, "d0");
  EXPECT_EQ(image.nodes.at("d9/e/f0").content, "d9");
  EXPECT_EQ(image.nodes.at("first").content, "shared content");
}

TEST_F(RenumberedSource, LinksAreFoundWhereNumbersAreKept) {
  auto options = options_for(tree_, "/i");
  const auto report = builder::build(*env_, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().hard_links, 1U);
}

TEST_F(RenumberedSource, HardDereferenceStoresEachName) {
  auto options = options_for(tree_, "/i");
  options.hard_dereference = true;
  const auto report = builder::build(*env_, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().hard_links, 0U);
  const auto image = dump_image(*env_, "/i");
  ASSERT_TRUE(image);
  EXPECT_EQ(image.value().nodes.at("second").content, "shared content");
  EXPECT_NE(image.value().nodes.at("second").inode, image.value().nodes.at("first").inode);
}

}  // namespace
}  // namespace dgfs::test
