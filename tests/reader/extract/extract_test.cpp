// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extraction into directories that are not empty, and with fewer rights than the image asks for.
#include "reader/extract/extract.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reader/extract/paths.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

std::string text_of(storage::Env& env, const std::string& path) {
  const auto file = value_of(env.open(path));
  std::string text(value_of(file->size()), '\0');
  auto* const begin = reinterpret_cast<std::uint8_t*>(text.data());
  expect_ok(storage::read_exactly(*file, 0, MutableBytes(begin, text.size())));
  return text;
}

class LinkedNames : public testing::Test {
 protected:
  LinkedNames() {
    tree_.file("a", "from the image");
    tree_.link("a", "b");
    tree_.link("a", "c");
    tree_.pack();
    expect_ok(env_.make_directory("/dest", 0755));
    destination_ = value_of(env_.open_directory("/dest"));
    options_.keep_going = true;
  }

  PackedTree tree_;
  storage::MemoryEnv& env_ = tree_.memory();
  std::unique_ptr<storage::Directory> destination_;
  reader::ExtractOptions options_;
};

TEST_F(LinkedNames, AreNoLinksToAFileThatIsInTheWay) {
  expect_ok(value_of(destination_->create_file("a", 0644))->write_at(0, as_bytes("mine")));
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.failures, 1U);
  EXPECT_EQ(text_of(env_, "/dest/a"), "mine");
  EXPECT_EQ(text_of(env_, "/dest/b"), "from the image");
  EXPECT_EQ(value_of(env_.status("/dest/b")).inode, value_of(env_.status("/dest/c")).inode);
  EXPECT_EQ(value_of(env_.status("/dest/a")).link_count, 1U);
}

TEST_F(LinkedNames, AreNoLinksToASymlinkThatIsInTheWay) {
  expect_ok(destination_->make_symlink("a", "/victim"));
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.failures, 1U);
  EXPECT_FALSE(destination_->read_link("b"));
  EXPECT_EQ(text_of(env_, "/dest/c"), "from the image");
}

TEST_F(LinkedNames, MayBeAskedForTwice) {
  options_.paths = {"a", "./a", "b"};
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.failures, 0U);
  EXPECT_EQ(report.entries, 2U);
}

// An unwanted directory is left out with everything below it, however deep. Progress then gives no
// totals.
TEST(ExtractWanted, LeavesOutWholeTrees) {
  PackedTree tree;
  for (const auto* path : {"a", "a/b", "a/b/c", "a/b/c/d"}) tree.directory(path);
  for (const auto* path : {"a/b/c/d/f", "a/b/f", "a/f", "f"}) tree.file(path, "1");
  tree.pack();
  reader::ExtractOptions options;
  options.wanted = [](std::string_view path, bool) {
    EXPECT_FALSE(path.empty());
    return path != "a/b";
  };
  options.progress = [](const reader::ExtractProgress& progress) {
    EXPECT_EQ(progress.entries_total, 0U);
    EXPECT_EQ(progress.content_bytes_total, 0U);
  };
  static_cast<void>(value_of(reader::extract(*tree.open(), tree.memory(), "/dest", options)));
  const auto below = tree_below(*value_of(tree.memory().open_directory("/dest")));
  EXPECT_EQ(below, (std::map<std::string, std::string>{{"a", ""}, {"a/f", "1"}, {"f", "1"}}));
}

// With chosen paths, the root is not extracted, so the destination is like any new directory.
TEST(ExtractDestination, HasTheModeOfTheRootOrOfAnyNewDirectory) {
  PackedTree tree;
  tree.directory("d");
  tree.file("d/f", "1");
  expect_ok(tree.parent("d")->set_mode("", 0711));
  tree.pack();
  auto& env = tree.memory();
  expect_ok(env.make_directory("/new", 0777));
  const auto mode_of_new = value_of(env.status("/new")).mode;
  const std::vector<std::vector<std::string>> below = {{"d/f"}, {"d"}, {"d", "d/f"}};
  for (std::size_t i = 0; i < below.size(); ++i) {
    const auto path = "/below" + std::to_string(i);
    reader::ExtractOptions options;
    options.paths = below[i];
    static_cast<void>(value_of(reader::extract(*tree.open(), env, path, options)));
    EXPECT_EQ(value_of(env.status(path)).mode, mode_of_new) << path;
  }
  for (const auto* whole : {"", "/", "."}) {
    const auto path = std::string("/whole") + (*whole == '/' ? "s" : whole);
    reader::ExtractOptions options;
    options.paths = {"d", whole};
    static_cast<void>(value_of(reader::extract(*tree.open(), env, path, options)));
    EXPECT_EQ(value_of(env.status(path)).mode & 07777U, 0711U) << path;
  }
}

TEST(ExtractPaths, LeaveOutWhatIsNamedTwice) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(reader::disjoint_paths({}), Paths{""});
  EXPECT_EQ(reader::disjoint_paths({"b", "a//x", "/a/./x/", "b"}), (Paths{"b", "a/x"}));
  EXPECT_EQ(reader::disjoint_paths({"a/b/c", "a/bc", "a/b"}), (Paths{"a/bc", "a/b"}));
  EXPECT_EQ(reader::disjoint_paths({"a", "/", "."}), Paths{""});
}

TEST(ExtractSetId, BitsAreKeptOnlyWithTheOwner) {
  PackedTree tree;
  tree.file("program", "#!");
  auto source = tree.parent("program");
  expect_ok(source->set_owner("program", 1234, 5678));
  expect_ok(source->set_mode("program", 06755));
  tree.pack();
  const auto image = tree.open();
  auto& env = tree.memory();
  reader::ExtractOptions options;
  static_cast<void>(value_of(reader::extract(*image, env, "/user", options)));
  EXPECT_EQ(value_of(env.status("/user/program")).mode & 07777U, 0755U);
  options.privileged = true;
  static_cast<void>(value_of(reader::extract(*image, env, "/root", options)));
  EXPECT_EQ(value_of(env.status("/root/program")).mode & 07777U, 06755U);
}

}  // namespace
}  // namespace dgfs::test
