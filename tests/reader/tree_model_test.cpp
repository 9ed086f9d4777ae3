// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random trees against a plain map from path to content: every way of reading must agree with the
// map.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

// The object at a path; directories have no content, symlinks have their target.
struct Thing {
  char type = 'f';
  Buffer content;
  std::string target;
};
using Model = std::map<std::string, Thing>;

std::string random_name(Random& random) {
  std::string name;
  const auto length = 1 + random.below(random.one_in(20) ? 250 : 12);
  while (name.size() < length) {
    const auto byte = static_cast<char>(1 + random.below(255));
    if (byte != '/') name += byte;
  }
  return name == "." || name == ".." ? "x" : name;
}

Model make_tree(PackedTree& tree, Random& random, std::size_t count) {
  Model model;
  std::vector<std::string> directories = {""};
  while (model.size() < count) {
    const auto& parent = directories[random.below(directories.size())];
    const auto path = (parent.empty() ? "" : parent + "/") + random_name(random);
    if (model.contains(path)) continue;
    auto& thing = model[path];
    if (random.one_in(12)) {
      thing.type = 'd';
      tree.directory(path);
      directories.push_back(path);
    } else if (random.one_in(12)) {
      thing.type = 'l';
      thing.target = random_name(random) + std::string(random.one_in(4) ? 600 : 0, 't');
      tree.symlink(path, thing.target);
    } else {
      thing.content = random.bytes(random.one_in(40) ? random.below(200'000) : random.below(500));
      tree.file(path, thing.content);
    }
  }
  return model;
}

void expect_thing(const reader::Image& image, const reader::Node& node, const Thing& thing) {
  switch (thing.type) {
    case 'd':
      EXPECT_EQ(node.mode & 0170000U, 0040000U);
      break;
    case 'l':
      EXPECT_EQ(value_of(image.read_link(node)), thing.target);
      break;
    default:
      EXPECT_EQ(value_of(contents(image, node)), thing.content);
  }
}

std::string below(const std::string& directory, std::string_view name) {
  return (directory.empty() ? "" : directory + "/") + std::string(name);
}

/// Even seeds build pages of the token codec, which small trees do not have otherwise.
builder::BuildOptions options_for(std::uint64_t seed) {
  builder::BuildOptions options;
  if (seed % 2 == 0) options.token_entries_min = 1;
  return options;
}

class TreeModel : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(TreeModel, EveryWayInAgrees) {
  Random random(GetParam());
  PackedTree tree;
  const auto model = make_tree(tree, random, 700);
  tree.pack(options_for(GetParam()));
  reader::OpenOptions options;
  options.page_cache_bytes = random.below(3) << 20;
  const auto image = tree.open(options);

  for (const auto& [path, thing] : model) {
    const auto node = value_of(image->lookup(path));
    expect_thing(*image, node, thing);
    EXPECT_EQ(value_of(image->by_inode(node.inode)).ordinal, node.ordinal);
    EXPECT_EQ(value_of(image->path_of(node.inode)), path);
    const auto parent = value_of(image->parent(node.inode));
    const auto slash = path.rfind('/');
    const auto name = slash == std::string::npos ? path : path.substr(slash + 1);
    EXPECT_EQ(value_of(image->name_of(node.inode)), (reader::ObjectName{parent, name}));
    EXPECT_EQ(value_of(image->lookup(parent, name)).inode, node.inode);
    EXPECT_EQ(
        value_of(image->by_inode(parent)).inode,
        value_of(image->lookup(slash == std::string::npos ? "" : path.substr(0, slash))).inode);
    EXPECT_EQ(image->lookup(path + "-").has_value(), model.contains(path + "-"));
  }

  std::size_t walked = 0;
  expect_ok(image->walk("", [&](std::string_view path, const reader::Node& node) {
    if (!path.empty()) {
      EXPECT_TRUE(model.contains(std::string(path)));
      ++walked;
    }
    EXPECT_EQ(value_of(image->lookup(path)).inode, node.inode);
    return true;
  }));
  EXPECT_EQ(walked, model.size());
}

TEST_P(TreeModel, SubtreesAndListings) {
  Random random(GetParam() + 100);
  PackedTree tree;
  auto model = make_tree(tree, random, 400);
  tree.pack(options_for(GetParam()));
  const auto image = tree.open();
  model[""].type = 'd';
  for (const auto& [directory, thing] : model) {
    if (thing.type != 'd') continue;
    std::size_t expected = 0;
    std::size_t expected_children = 0;
    for (const auto& [path, other] : model) {
      const bool inside = directory.empty() || path.starts_with(directory + "/");
      if (path.empty() || !inside) continue;
      ++expected;
      const auto begin = directory.empty() ? 0 : directory.size() + 1;
      if (path.find('/', begin) == std::string::npos) ++expected_children;
    }
    std::size_t walked = 0;
    expect_ok(image->walk(directory,
                          [&](std::string_view, const reader::Node&) { return ++walked > 0; }));
    EXPECT_EQ(walked, expected + 1);
    const auto inode = value_of(image->lookup(directory)).inode;
    std::vector<std::string> names;
    expect_ok(image->list(inode, 0, [&, &directory = directory](const reader::ListedName& listed) {
      EXPECT_EQ(listed.position, names.size());
      EXPECT_EQ(value_of(image->lookup(below(directory, listed.name))).inode, listed.inode);
      names.emplace_back(listed.name);
      return true;
    }));
    EXPECT_EQ(names.size(), expected_children);
    const auto from = random.below(names.size() + 1);
    std::vector<std::string> rest;
    expect_ok(image->list(inode, from, [&](const reader::ListedName& listed) {
      rest.emplace_back(listed.name);
      return true;
    }));
    EXPECT_EQ(rest, std::vector<std::string>(names.begin() + static_cast<long>(from), names.end()));
  }
}

TEST_P(TreeModel, ExtractionGivesTheTreeBack) {
  Random random(GetParam() + 200);
  PackedTree tree;
  const auto model = make_tree(tree, random, 300);
  tree.file("linked", "shared content");
  tree.link("linked", "linked-too");
  tree.pack(options_for(GetParam()));
  const auto image = tree.open();
  reader::ExtractOptions options;
  options.jobs = 3;
  options.privileged = true;
  const auto report = value_of(reader::extract(*image, tree.memory(), "/restored", options));
  EXPECT_EQ(report.entries, model.size() + 3);
  builder::BuildOptions again;
  again.source = "/restored";
  again.image_path = "/again.dgfs";
  again.jobs = 1;
  again.token_entries_min = options_for(GetParam()).token_entries_min;
  static_cast<void>(value_of(builder::build(tree.memory(), again)));
  const auto second = value_of(reader::Image::open(tree.memory(), "/again.dgfs"));
  // The same tree gives the same bytes, and so the same UUID.
  EXPECT_EQ(second->superblock().uuid, image->superblock().uuid);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TreeModel, ::testing::Range<std::uint64_t>(1, 7));

TEST(Extract, ExistingFilesAreKeptAndLinksNotFollowed) {
  PackedTree tree;
  tree.directory("d");
  tree.file("d/a", "from the image");
  tree.file("d/b", "also");
  tree.pack();
  const auto image = tree.open();
  auto& env = tree.memory();
  expect_ok(env.make_directory("/dest", 0755));
  expect_ok(env.make_directory("/victim", 0755));
  auto destination = value_of(env.open_directory("/dest"));
  expect_ok(destination->make_symlink("d", "/victim"));
  const auto refused = reader::extract(*image, env, "/dest", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kExists);
  EXPECT_TRUE(value_of(value_of(env.open_directory("/victim"))->list()).empty());

  expect_ok(destination->remove("d"));
  expect_ok(destination->make_directory("d", 0755));
  auto file = value_of(value_of(destination->open_directory("d"))->create_file("a", 0644));
  expect_ok(file->write_at(0, as_bytes("mine")));
  reader::ExtractOptions options;
  options.keep_going = true;
  std::vector<std::string> failed;
  options.failed = [&](const std::string& path, const Error&) { failed.push_back(path); };
  const auto report = value_of(reader::extract(*image, env, "/dest", options));
  EXPECT_EQ(report.failures, 1U);
  EXPECT_EQ(failed, std::vector<std::string>{"d/a"});
  EXPECT_TRUE(env.status("/dest/d/b"));
  EXPECT_EQ(value_of(env.status("/dest/d/a")).size_bytes, 4U);
}

TEST(Extract, ChosenPathsOnly) {
  PackedTree tree;
  tree.directory("a");
  tree.directory("a/b");
  tree.file("a/b/wanted", "w");
  tree.file("a/other", "o");
  tree.pack();
  reader::ExtractOptions options;
  options.paths = {"/a//b/"};
  static_cast<void>(value_of(reader::extract(*tree.open(), tree.memory(), "/dest", options)));
  EXPECT_TRUE(tree.memory().status("/dest/a/b/wanted"));
  EXPECT_FALSE(tree.memory().status("/dest/a/other"));
}

}  // namespace
}  // namespace dgfs::test
