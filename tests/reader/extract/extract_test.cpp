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

TEST_F(LinkedNames, AreNoLinksToAFileThatIsSkipped) {
  options_.existing = reader::ExistingNames::kSkip;
  expect_ok(value_of(destination_->create_file("a", 0644))->write_at(0, as_bytes("mine")));
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.failures, 0U);
  EXPECT_EQ(report.skipped, 1U);
  EXPECT_EQ(text_of(env_, "/dest/a"), "mine");
  EXPECT_EQ(text_of(env_, "/dest/b"), "from the image");
  EXPECT_EQ(value_of(env_.status("/dest/b")).inode, value_of(env_.status("/dest/c")).inode);
}

TEST_F(LinkedNames, ReplaceFilesThatAreInTheWay) {
  options_.existing = reader::ExistingNames::kReplace;
  for (const auto* name : {"a", "c"}) {
    expect_ok(value_of(destination_->create_file(name, 0644))->write_at(0, as_bytes("mine")));
  }
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.failures, 0U);
  EXPECT_EQ(report.skipped, 0U);
  for (const auto* name : {"/dest/a", "/dest/b", "/dest/c"}) {
    EXPECT_EQ(text_of(env_, name), "from the image");
    EXPECT_EQ(value_of(env_.status(name)).link_count, 3U);
  }
}

// One existing object of each kind is in the way of one of each kind.
class ExistingEntries : public testing::Test {
 protected:
  ExistingEntries() {
    tree_.directory("d");
    for (const auto* name : {"d/f", "file", "was_link", "was_directory"}) tree_.file(name, "new");
    tree_.symlink("link", "new target");
    tree_.directory("directory");
    tree_.file("directory/f", "new");
    tree_.pack();
    expect_ok(env_.make_directory("/dest", 0755));
    destination_ = value_of(env_.open_directory("/dest"));
    for (const auto* name : {"d", "was_directory"}) {
      expect_ok(destination_->make_directory(name, 0711));
    }
    for (const auto* name : {"file", "directory"}) {
      expect_ok(value_of(destination_->create_file(name, 0600))->write_at(0, as_bytes("old")));
    }
    for (const auto* name : {"link", "was_link"}) {
      expect_ok(destination_->make_symlink(name, "/victim"));
    }
    options_.keep_going = true;
  }
  std::uint32_t mode_of(const char* path) { return value_of(env_.status(path)).mode & 07777; }

  PackedTree tree_;
  storage::MemoryEnv& env_ = tree_.memory();
  std::unique_ptr<storage::Directory> destination_;
  reader::ExtractOptions options_;
};

TEST_F(ExistingEntries, FailUnlessTheUserDecides) {
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  // Below "directory" is one more.
  EXPECT_EQ(report.failures, 6U);
  EXPECT_EQ(text_of(env_, "/dest/d/f"), "new");
  EXPECT_EQ(text_of(env_, "/dest/file"), "old");
}

TEST_F(ExistingEntries, AreReplaced) {
  options_.existing = reader::ExistingNames::kReplace;
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.failures, 0U);
  for (const auto* path : {"d/f", "file", "was_link", "was_directory", "directory/f"}) {
    EXPECT_EQ(text_of(env_, std::string("/dest/") + path), "new") << path;
  }
  EXPECT_EQ(value_of(destination_->read_link("link")), "new target");
  EXPECT_EQ(mode_of("/dest/d"), 0755U);
  EXPECT_FALSE(env_.status("/victim"));
}

TEST_F(ExistingEntries, AreSkippedWithTheirAttributes) {
  options_.existing = reader::ExistingNames::kSkip;
  const auto before = value_of(env_.status("/dest"));
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.skipped, 4U);
  EXPECT_EQ(report.failures, 2U);  // a file in the way of a directory, and what is below
  EXPECT_EQ(text_of(env_, "/dest/d/f"), "new");
  EXPECT_EQ(text_of(env_, "/dest/file"), "old");
  EXPECT_EQ(value_of(destination_->read_link("link")), "/victim");
  EXPECT_EQ(mode_of("/dest/d"), 0711U);
  EXPECT_EQ(mode_of("/dest"), before.mode & 07777);
}

TEST_F(ExistingEntries, OfADirectoryWithNamesStay) {
  options_.existing = reader::ExistingNames::kReplace;
  const auto directory = value_of(destination_->open_directory("was_directory"));
  expect_ok(value_of(directory->create_file("precious", 0600))->write_at(0, as_bytes("old")));
  const auto report = value_of(reader::extract(*tree_.open(), env_, "/dest", options_));
  EXPECT_EQ(report.failures, 1U);
  EXPECT_EQ(text_of(env_, "/dest/was_directory/precious"), "old");
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
