// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Objects with several names, merged: counts, numbers, and contents that one of the names has
// placed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;

class MergeLinks : public testing::Test {
 protected:
  PackedTree& tree() { return changed_.tree(); }
  view::ObjectNumber number_of(const std::string& path) {
    return value_of(changed_.open_image(kImage)->lookup(path)).inode;
  }
  /// The paths of an object, in key order.
  static std::vector<std::string> paths_of(const reader::Image& image, view::ObjectNumber object) {
    const auto names = value_of(image.names_of(object));
    std::vector<std::string> paths;
    for (const auto& name : names.value_or(std::vector<reader::ObjectName>())) {
      const auto directory = value_of(image.path_of(name.directory));
      paths.push_back(directory.empty() ? name.name : directory + "/" + name.name);
    }
    return paths;
  }

  ChangedTree changed_;
};

// Its names have no numbers of their own.
TEST_F(MergeLinks, AnObjectWithSeveralNamesIsNoDirectory) {
  tree().file("a", "shared");
  tree().link("a", "b");
  changed_.pack();
  changed_.change([](view::View& view) { make_file(view, "c", "new"); });
  changed_.merge();
  const auto image = changed_.merged();
  EXPECT_EQ(image->lookup(number_of("a"), "x").error().kind(), ErrorKind::kNotDirectory);
  EXPECT_EQ(image->lookup(number_of("a") + 1'000'000, "x").error().kind(), ErrorKind::kNotFound);
}

TEST_F(MergeLinks, CountsAreThoseOfTheNames) {
  tree().directory("d");
  tree().file("a", "shared by three");
  tree().link("a", "b");
  tree().link("a", "d/c");
  tree().file("single", "has one name");
  changed_.pack();
  changed_.change([&](view::View& view) {
    remove_name(view, "b");
    value_of(view.link(object_at(view, "a"), object_at(view, "d"), "e"));
    value_of(view.link(object_at(view, "a"), kRoot, "z"));
    value_of(view.link(object_at(view, "single"), kRoot, "second"));
  });
  const auto report = changed_.merge();
  EXPECT_EQ(report.packed_files, 0U);
  EXPECT_EQ(report.kept_files, 2U);
  const auto image = changed_.merged();
  EXPECT_EQ(value_of(image->lookup("d/e")).link_count, 4U);
  EXPECT_EQ(value_of(image->lookup("second")).link_count, 2U);
  EXPECT_EQ(image->superblock().link_entries, 2U);
  EXPECT_EQ(paths_of(*image, number_of("a")), (std::vector<std::string>{"a", "z", "d/c", "d/e"}));
}

TEST_F(MergeLinks, AnObjectThatLosesItsFirstNameKeepsItsNumber) {
  tree().file("a", "lives on");
  tree().file("b", "between the names");
  tree().link("a", "m");
  tree().link("a", "z");
  changed_.pack();
  const auto number = number_of("a");
  changed_.change([](view::View& view) { remove_name(view, "a"); });
  EXPECT_EQ(changed_.merge().packed_files, 0U);
  const auto image = changed_.merged();
  EXPECT_EQ(value_of(image->lookup("m")).inode, number);
  EXPECT_EQ(value_of(image->by_inode(number)).link_count, 2U);
  EXPECT_EQ(value_of(image->path_of(number)), "m");
  EXPECT_EQ(paths_of(*image, number), (std::vector<std::string>{"m", "z"}));
  EXPECT_EQ(content_at(*image, "z"), "lives on");
}

TEST_F(MergeLinks, AnObjectWithOneNameLeftIsAnOrdinaryEntry) {
  tree().file("a", "lives on");
  tree().link("a", "b");
  tree().symlink("s", "target");
  tree().link("s", "t");
  changed_.pack();
  const auto file = number_of("a");
  const auto link = number_of("s");
  changed_.change([](view::View& view) {
    remove_name(view, "a");
    remove_name(view, "t");
  });
  EXPECT_EQ(changed_.merge().packed_files, 0U);
  const auto image = changed_.merged();
  EXPECT_EQ(image->superblock().link_entries, 0U);
  EXPECT_EQ(image->superblock().compat & format::feature::kCompatLinkNames, 0U);
  const auto node = value_of(image->by_inode(file));
  EXPECT_EQ(node.object_ordinal, node.ordinal);
  EXPECT_EQ(value_of(image->path_of(file)), "b");
  EXPECT_EQ(value_of(image->path_of(link)), "s");
}

// The extents of a page stand one behind the other, counted by the names. The name that counted
// this one is gone, and its neighbours, too.
TEST_F(MergeLinks, ContentLivesAsLongAsAnyNameDoes) {
  tree().directory("d");
  tree().directory("z");
  tree().file("d/a", "gone with its directory");
  tree().file("d/first", "lives through its second name");
  tree().link("d/first", "z/second");
  tree().file("z/last", "lies behind all of them");
  changed_.pack();
  const auto number = number_of("d/first");
  const auto old = changed_.open_image(kImage);
  const auto gone = value_of(old->lookup("d/a")).stored_bytes;
  changed_.change([](view::View& view) { remove_tree(view, "d"); });
  const auto report = changed_.merge();
  EXPECT_EQ(report.packed_files, 0U);
  EXPECT_EQ(report.dead_bytes, gone);
  const auto image = changed_.merged();
  ASSERT_EQ(image->volume_origins().size(), 1U);
  EXPECT_EQ(image->volume_origins().front().dead_bytes, gone);
  const auto node = value_of(image->lookup("z/second"));
  EXPECT_EQ(node.inode, number);
  EXPECT_EQ(node.data.offset_bytes, value_of(old->lookup("d/first")).data.offset_bytes);
  EXPECT_EQ(content_at(*image, "z/second"), "lives through its second name");
}

// The first of two equal files has placed the extent of both.
TEST_F(MergeLinks, SharedContentLivesAsLongAsAnyFileDoes) {
  tree().file("a", std::string(3000, 'e'));
  tree().file("b", std::string(3000, 'e'));
  tree().file("c", "another");
  changed_.pack();
  changed_.change([](view::View& view) { remove_name(view, "a"); });
  const auto report = changed_.merge();
  EXPECT_EQ(report.packed_files, 0U);
  EXPECT_EQ(report.dead_bytes, 0U);
  EXPECT_EQ(content_at(*changed_.merged(), "b"), std::string(3000, 'e'));
}

// F-320: records stand by number, but objects come by their first names.
TEST_F(MergeLinks, RecordsAreInTheOrderOfNumbers) {
  changed_.build_options().digest = format::DigestAlgorithm::kSha256;
  for (const std::string name : {"a", "b", "c"}) {
    tree().file(name, "content of " + name);
    tree().link(name, name + "2");
  }
  changed_.pack();
  changed_.change([](view::View& view) {
    move_name(view, "a", "z");
    move_name(view, "a2", "y");
    move_name(view, "b", "x");
    const auto made = make_file(view, "0", "content of a new object");
    value_of(view.link(made, kRoot, "1"));
  });
  auto plan = plan_of();
  plan.build.digest = format::DigestAlgorithm::kSha256;
  EXPECT_EQ(changed_.merge(plan).packed_files, 2U) << "each name is counted";
  const auto image = changed_.merged();  // compares digests, too
  EXPECT_EQ(image->superblock().link_entries, 4U);
  EXPECT_EQ(content_at(*image, "y"), "content of a");
  EXPECT_EQ(content_at(*image, "b2"), "content of b");
  EXPECT_EQ(content_at(*image, "1"), "content of a new object");
}

TEST_F(MergeLinks, NamesOfLinkedObjectsTakeNoNumbers) {
  for (int i = 0; i < 10; ++i) tree().file("f" + std::to_string(i), std::to_string(i));
  changed_.pack();
  changed_.change([](view::View& view) {
    for (int i = 0; i < 10; ++i) {
      const auto file = object_at(view, "f" + std::to_string(i));
      for (int k = 0; k < 20; ++k) {
        value_of(view.link(file, kRoot, "n" + std::to_string(i) + "." + std::to_string(k)));
      }
    }
  });
  changed_.merge();
  const auto image = changed_.merged();
  EXPECT_NE(image->superblock().incompat & format::feature::kIncompatSplitInodes, 0U);
  EXPECT_EQ(image->superblock().namespace_entries, 211U);
  EXPECT_EQ(image->superblock().next_inode, changed_.open_image(kImage)->superblock().next_inode)
      << "links make no object";
  // Their numbers lead to the same objects under a new delta, too.
  changed_.go_on();
  changed_.change([](view::View& view) {
    EXPECT_EQ(object_at(view, "n3.7"), object_at(view, "f3"));
    EXPECT_EQ(value_of(view.paths(object_at(view, "f3"))).size(), 21U);
    make_file(view, "new", "beside them");
  });
}

TEST_F(MergeLinks, ObjectsOfAllKindsMayHaveSeveralNames) {
  tree().symlink("s", "a target");
  changed_.pack();
  changed_.change([](view::View& view) {
    value_of(view.link(object_at(view, "s"), kRoot, "s2"));
    const view::NewObject fifo{format::kTypeFifo | 0600, 0};
    const auto pipe = value_of(view.create(kRoot, "p", fifo, {})).object;
    value_of(view.link(pipe, kRoot, "p2"));
    const view::NewObject disk{format::kTypeBlockDevice | 0600, 0x801};
    const auto device = value_of(view.create(kRoot, "b", disk, {})).object;
    value_of(view.link(device, kRoot, "b2"));
    const auto empty = value_of(view.create(kRoot, "e", {}, {})).object;
    value_of(view.link(empty, kRoot, "e2"));
  });
  changed_.merge();
  const auto image = changed_.merged();
  EXPECT_EQ(image->superblock().link_entries, 4U);
  EXPECT_EQ(value_of(image->read_link(value_of(image->lookup("s2")))), "a target");
  EXPECT_EQ(value_of(image->lookup("b2")).rdev, 0x801U);
}

}  // namespace
}  // namespace dgfs::test
