// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// From inode numbers to names: all names of all objects, as the index lists them, in images of any
// age; and with damaged or forged lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "format/coding.h"
#include "format/entry/mode.h"
#include "format/header/feature.h"
#include "format/header/section.h"
#include "format/section/link_block.h"
#include "format/section/link_table.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/random.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::SectionKind;
using reader::InodeNumber;
using reader::ObjectName;
using Names = std::vector<ObjectName>;

constexpr auto kLinkBit = format::feature::kCompatLinkNames;

// Expects every object to have exactly the names of a walk, in this order.
void expect_names_of_walk(const reader::Image& image) {
  std::map<InodeNumber, Names> expected;
  expect_ok(image.walk("", [&](std::string_view path, const reader::Node& node) {
    auto& names = expected[node.inode];
    if (path.empty()) return true;
    const auto slash = path.rfind('/');
    const auto directory = slash == path.npos ? "" : path.substr(0, slash);
    names.push_back({value_of(image.lookup(directory)).inode,
                     std::string(path.substr(slash == path.npos ? 0 : slash + 1))});
    return true;
  }));
  for (const auto& [inode, names] : expected) {
    EXPECT_EQ(value_of(image.names_of(inode)), names) << inode;
    const auto first = value_of(image.name_of(inode));
    EXPECT_EQ(first, names.empty() ? std::nullopt : std::optional(names.front())) << inode;
  }
}

std::vector<std::string> findings_of(const reader::Image& image) {
  std::vector<std::string> found;
  reader::VerifyOptions options;
  options.damaged_index = [&](const Error& error) {
    EXPECT_FALSE(error.file().empty());
    EXPECT_TRUE(error.offset());
    found.push_back(error.section() + " " + std::to_string(error.code()));
  };
  static_cast<void>(value_of(reader::verify(image, options)));
  return found;
}

class ObjectNamesTest : public ::testing::Test {
 protected:
  ObjectNamesTest() {
    tree_.directory("a");
    tree_.directory("a/b");
    tree_.directory("c");
    tree_.file("a/one", "first");
    tree_.link("a/one", "a/b/two");
    tree_.link("a/one", "three");
    tree_.file("c/lone", "of one name");
    tree_.symlink("c/link", "x");
    tree_.link("c/link", "a/link");
  }
  InodeNumber inode_of(const reader::Image& image, const std::string& path) {
    return value_of(image.lookup(path)).inode;
  }
  // Opens the packed image after a change, without an index beside it.
  std::unique_ptr<const reader::Image> open(const TakenImage& taken) {
    expect_ok(tree_.memory().remove(kImage));
    if (tree_.memory().status(kIndex)) {
      expect_ok(tree_.memory().remove(kIndex));
    }
    write_file(tree_.memory(), kImage, taken.image());
    return tree_.open();
  }
  TakenImage taken() {
    tree_.pack();
    return TakenImage(read_file(tree_.memory(), kImage));
  }
  // Sets lists in one block, and the table that refers to it.
  static void set_lists(TakenImage& taken, const Buffer& body, InodeNumber first) {
    Buffer sealed;
    format::seal_block(SectionKind::kLinkNames, body, sealed);
    Buffer table;
    const std::vector<format::LinkTableRow> rows = {{first, sealed.size()}};
    format::encode_link_table(rows, 0, table);
    taken.bodies(SectionKind::kLinkNames) = {body};
    taken.bodies(SectionKind::kLinkTable) = {table};
  }

  PackedTree tree_;
};

TEST_F(ObjectNamesTest, AreThoseOfTheTree) {
  for (const std::size_t token_entries_min : {1U, 100'000U}) {
    builder::BuildOptions options;
    options.token_entries_min = token_entries_min;
    tree_.pack(options);
    const auto image = tree_.open();
    expect_names_of_walk(*image);
    const auto a = inode_of(*image, "a");
    EXPECT_EQ(value_of(image->names_of(inode_of(*image, "three"))),
              (Names{{1, "three"}, {a, "one"}, {inode_of(*image, "a/b"), "two"}}));
    EXPECT_EQ(value_of(image->name_of(a)), (ObjectName{1, "a"}));
    EXPECT_FALSE(value_of(image->name_of(1)));
    EXPECT_EQ(value_of(image->names_of(1)), Names());
    EXPECT_EQ(findings_of(*image), std::vector<std::string>());
    EXPECT_EQ(image->superblock().compat & kLinkBit, kLinkBit);
  }
}

TEST_F(ObjectNamesTest, OfWhatIsNoObject) {
  tree_.pack();
  const auto image = tree_.open();
  // Asks for the number of a further name, and for unused numbers.
  const auto further = value_of(image->lookup("a/b/two")).ordinal + 1;
  for (const auto inode :
       {std::uint64_t{0}, further, image->superblock().next_inode, ~std::uint64_t{0}}) {
    EXPECT_EQ(image->name_of(inode).error().kind(), ErrorKind::kNotFound) << inode;
    EXPECT_EQ(image->names_of(inode).error().kind(), ErrorKind::kNotFound) << inode;
  }
}

TEST_F(ObjectNamesTest, OfATreeWithoutLinksNeedNoLists) {
  PackedTree tree;
  tree.directory("d");
  tree.file("d/one", "x");
  tree.pack();
  const auto image = tree.open();
  expect_names_of_walk(*image);
  EXPECT_EQ(image->superblock().compat & kLinkBit, 0U);
  EXPECT_EQ(image->superblock().section(SectionKind::kLinkNames).length_bytes, 0U);
}

TEST_F(ObjectNamesTest, OfManyObjectsWithManyNames) {
  SeededEngine random(5);
  for (int i = 0; i < 40; ++i) tree_.directory("d" + std::to_string(i));
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const auto number = std::to_string(i * 7919 % 6000);
    const auto name = "d" + std::to_string(random() % 40) + "/" + number;
    tree_.file(name, "");
    for (auto names = random() % 4; names > 0; --names) {
      tree_.link(name,
                 "d" + std::to_string(random() % 40) + "/" + number + "-" + std::to_string(names));
    }
  }
  for (int i = 0; i < 9000; ++i) tree_.link("a/one", "c/one " + std::to_string(i));
  tree_.pack();
  const auto image = tree_.open();
  expect_names_of_walk(*image);
  EXPECT_EQ(value_of(image->names_of(inode_of(*image, "a/one")))->size(), 9003U);
  EXPECT_EQ(findings_of(*image), std::vector<std::string>());
}

TEST_F(ObjectNamesTest, ThatAreNotListed) {  // F-340
  auto taken = this->taken();
  taken.superblock.compat &= ~kLinkBit;
  for (const bool has_sections : {true, false}) {
    if (!has_sections) {
      taken.bodies(SectionKind::kLinkNames).clear();
      taken.bodies(SectionKind::kLinkTable).clear();
    }
    const auto image = open(taken);
    const auto inode = inode_of(*image, "a/one");
    EXPECT_EQ(value_of(image->names_of(inode)), std::nullopt);
    EXPECT_EQ(value_of(image->name_of(inode)), (ObjectName{1, "three"}));
    EXPECT_EQ(value_of(image->names_of(inode_of(*image, "c/lone")))->size(), 1U);
    EXPECT_EQ(image->names_of(inode + 1000).error().kind(), ErrorKind::kNotFound);
    EXPECT_EQ(findings_of(*image), std::vector<std::string>());
  }
  taken.superblock.compat |= kLinkBit;
  const auto image = open(taken);
  EXPECT_EQ(image->names_of(inode_of(*image, "a/one")).error().code(), 2969);
  EXPECT_EQ(findings_of(*image), std::vector<std::string>{"link table 2969"});
}

TEST_F(ObjectNamesTest, HealFromTheOtherCopy) {
  tree_.pack();
  const auto inode = inode_of(*tree_.open(), "a/one");
  const auto expected = value_of(tree_.open()->names_of(inode));
  const auto index = read_file(tree_.memory(), kIndex);
  for (const auto kind : {SectionKind::kLinkNames, SectionKind::kLinkTable}) {
    SCOPED_TRACE(format::section_name(kind));
    auto damaged = index;
    damaged[tree_.open()->superblock().section(kind).offset_bytes + 25] ^= 4;
    expect_ok(tree_.memory().remove(kIndex));
    write_file(tree_.memory(), kIndex, damaged);
    int warnings = 0;
    reader::OpenOptions options;
    options.warn = [&](const Error&) { ++warnings; };
    EXPECT_EQ(value_of(tree_.open(options)->names_of(inode)), expected);
    EXPECT_EQ(warnings, 1);
    EXPECT_EQ(findings_of(*tree_.open()).size(), 1U);
  }
}

TEST_F(ObjectNamesTest, OfListsThatLie) {  // F-341
  const auto sound = taken();
  const auto image = open(sound);
  const auto one = inode_of(*image, "a/one");
  const auto link = inode_of(*image, "a/link");
  const auto lone = inode_of(*image, "c/lone");
  const auto ordinal = [&](const char* path) { return value_of(image->lookup(path)).ordinal; };
  const auto with = [&](const std::map<InodeNumber, std::vector<format::Ordinal>>& lists) {
    auto taken = sound;
    format::LinkBlockFiller filler;
    for (auto [inode, names] : lists) {
      std::sort(names.begin(), names.end());
      EXPECT_TRUE(filler.add(inode, names));
    }
    set_lists(taken, filler.take(), lists.begin()->first);
    return open(taken);
  };
  const std::vector<format::Ordinal> ones = {ordinal("three"), ordinal("a/one"),
                                             ordinal("a/b/two")};
  const std::vector<format::Ordinal> links = {ordinal("a/link"), ordinal("c/link")};
  const std::vector<std::string> found = {"link names 3902"};
  EXPECT_EQ(findings_of(*with({{one, ones}, {link, links}})), std::vector<std::string>());
  // An object is missing from the list.
  auto lying = with({{one, ones}});
  EXPECT_EQ(lying->names_of(link).error().code(), 3904);
  EXPECT_EQ(value_of(lying->names_of(one))->size(), 3U);
  EXPECT_EQ(findings_of(*lying), found);
  lying = with({{link, links}});
  EXPECT_EQ(findings_of(*lying), found);
  // A missing name; a name of another object; a name of an object without links; an object with one
  // name.
  EXPECT_EQ(findings_of(*with({{one, {ones[0], ones[2]}}, {link, links}})), found);
  lying = with({{one, {ones[0], ones[1], links[0], ones[2]}}, {link, links}});
  EXPECT_EQ(lying->names_of(one).error().code(), 3905);
  EXPECT_EQ(value_of(lying->name_of(one)), (ObjectName{1, "three"}));
  EXPECT_EQ(findings_of(*lying), found);
  lying = with({{one, ones}, {link, links}, {lone, {ordinal("c/lone")}}});
  EXPECT_EQ(value_of(lying->names_of(lone))->size(), 1U);
  EXPECT_EQ(findings_of(*lying), found);
}

TEST_F(ObjectNamesTest, OfBlocksAndTablesThatDoNotFit) {  // F-344, F-346
  const auto sound = taken();
  const auto one = inode_of(*open(sound), "a/one");
  const auto& superblock = sound.superblock;
  // One object in two blocks, whose names do not rise from one block to the next.
  auto taken = sound;
  format::LinkBlockFiller filler;
  ASSERT_TRUE(filler.add(one, std::vector<format::Ordinal>{superblock.namespace_entries - 1}));
  const auto body = filler.take();
  Buffer sealed;
  format::seal_block(SectionKind::kLinkNames, body, sealed);
  Buffer table;
  std::vector<format::LinkTableRow> rows = {{one, sealed.size()}, {one, sealed.size()}};
  format::encode_link_table(rows, 0, table);
  taken.bodies(SectionKind::kLinkNames) = {body, body};
  taken.bodies(SectionKind::kLinkTable) = {table};
  EXPECT_EQ(open(taken)->names_of(one).error().code(), 3901);
  EXPECT_EQ(findings_of(*open(taken)), std::vector<std::string>{"link names 3902"});
  // A row that claims the length of two blocks.
  rows = {{one, 2 * sealed.size()}};
  table.clear();
  format::encode_link_table(rows, 0, table);
  taken.bodies(SectionKind::kLinkTable) = {table};
  EXPECT_EQ(open(taken)->names_of(one).error().code(), 3900);
  EXPECT_EQ(findings_of(*open(taken)), std::vector<std::string>{"link names 3900"});
}

// A program that drops names of an image may leave this state: object 77 has lost its first name,
// and the number of another of its names.
TEST_F(ObjectNamesTest, OfAnObjectWhoseFirstNameIsGone) {
  ImageAssembler assembler;
  assembler.next_inode = 100;
  assembler.add_directory("d");
  for (const auto* path : {"d/second", "third"}) {
    auto& name = assembler.add(path, format::kTypeRegular);
    name.mtime = {};
    name.link_inode = 77;
  }
  assembler.add_link_record(77, 0100640, 2);
  assembler.write(tree_.memory(), kImage, "", true);
  {
    const auto image = tree_.open();
    EXPECT_EQ(value_of(image->names_of(77)), std::nullopt);
    EXPECT_EQ(image->name_of(77).error().kind(), ErrorKind::kNotFound);
  }
  TakenImage taken(read_file(tree_.memory(), kImage));
  taken.superblock.compat |= kLinkBit;
  const auto directory = inode_of(*tree_.open(), "d");
  const auto second = value_of(tree_.open()->lookup("d/second")).ordinal;
  const auto third = value_of(tree_.open()->lookup("third")).ordinal;
  format::LinkBlockFiller filler;
  ASSERT_TRUE(filler.add(77, std::vector<format::Ordinal>{third, second}));
  set_lists(taken, filler.take(), 77);
  const auto image = open(taken);
  EXPECT_EQ(value_of(image->name_of(77)), (ObjectName{1, "third"}));
  EXPECT_EQ(value_of(image->names_of(77)), (Names{{1, "third"}, {directory, "second"}}));
  // The number of a name of object 77 is not the number of an object.
  EXPECT_EQ(image->name_of(third + 1).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(findings_of(*image), std::vector<std::string>());
}

}  // namespace
}  // namespace dgfs::test
