// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a merge into a base could get wrong about contents and attributes that programs change
// between the seal and the switch.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/delta/merge/live_hazards.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

using LiveMergeHazards = LiveHazards;

TEST_F(LiveMergeHazards, FilesAreWrittenMeanwhile) {
  tree_.open();
  write_at(view(), object("a/f"), 0, "BEFORE");
  make_file(view(), "new", "made before the seal");
  tree_.merge([&] {
    write_at(view(), object("a/f"), 7, "MEANWHILE");  // changed before
    write_at(view(), object("a/sub/f"), 0, "FIRST");  // untouched before
    write_at(view(), object("large"), 700, "in one chunk of many");
    write_at(view(), object("new"), 5, "MEANWHILE");
  });
  EXPECT_EQ(content("a/f"), "BEFORE MEANWHILEf");
  EXPECT_EQ(content("a/sub/f"), "FIRSTe image: a/sub/f");
  EXPECT_EQ(content("new"), "made MEANWHILEe seal");
  auto large = std::string(as_text(pattern(9'000, 3)));
  EXPECT_EQ(content("large"), large.replace(700, 20, "in one chunk of many"));
  expect_lasting();
}

TEST_F(LiveMergeHazards, FilesAreTruncatedAndGrownMeanwhile) {
  tree_.open();
  resize("a/sub/f", 5);
  make_file(view(), "new", std::string(3'000, 'n'));
  tree_.merge([&] {
    resize("large", 0);
    resize("large", 2'000);
    resize("a/f", 4);
    resize("a/f", 1'000);
    resize("a/sub/f", 600);
    resize("new", 700);
    resize("new", 3'000);
    value_of(view().append(object("f"), as_bytes(" and more")));
  });
  EXPECT_EQ(content("large"), std::string(2'000, '\0'));
  EXPECT_EQ(content("a/f"), "of t" + std::string(996, '\0'));
  EXPECT_EQ(content("a/sub/f"), "of th" + std::string(595, '\0'));
  EXPECT_EQ(content("new"), std::string(700, 'n') + std::string(2'300, '\0'));
  EXPECT_EQ(content("f"), "of the image: f and more");
  expect_lasting();
}

TEST_F(LiveMergeHazards, FilesAreTruncatedBeforeAndGrownAfterTheSwitch) {
  tree_.open();
  resize("large", 0);
  resize("a/f", 6);
  tree_.merge([&] { resize("f", 0); });
  resize("large", 9'000);
  resize("a/f", 20);
  resize("f", 10);
  EXPECT_EQ(content("large"), std::string(9'000, '\0'));
  EXPECT_EQ(content("a/f"), "of the" + std::string(14, '\0'));
  EXPECT_EQ(content("f"), std::string(10, '\0'));
  expect_lasting();
}

TEST_F(LiveMergeHazards, HolesArePunchedMeanwhile) {
  tree_.open();
  expect_ok(view().zero(object("large"), 512, 1'024, view::ZeroMode::kKeepSize));
  tree_.merge(
      [&] { expect_ok(view().zero(object("large"), 4'000, 2'000, view::ZeroMode::kKeepSize)); });
  auto large = std::string(as_text(pattern(9'000, 3)));
  large.replace(512, 1'024, std::string(1'024, '\0'));
  EXPECT_EQ(content("large"), large.replace(4'000, 2'000, std::string(2'000, '\0')));
  expect_lasting();
}

// What hid a name of the image or a layer hides the same name of the base.
// As a shell whose working directory, and the one above, somebody removes.
TEST_F(LiveMergeHazards, ASealComesBetweenTheBaseAndTheSwitch) {
  tree_.open();
  make_file(view(), "new", "made before the first seal");
  const auto untouched = value_of(view().unlink(kRoot, "f")).object;
  ObjectNumber other = 0;
  ObjectNumber unnamed = 0;
  tree_.merge([&] {
    write_at(view(), object("new"), 0, "MADE");
    remove_name(view(), "a/f");
    other = value_of(view().unlink(object("a"), "g")).object;
    other = value_of(view().unlink(object("b"), "g")).object;
    unnamed = value_of(view().create_unnamed(kRoot, 0600, {})).object;
    make_file(view(), "second", "made before the second seal");
    tree_.seal();
    make_file(view(), "third", "made before the switch");
    write_at(view(), object("second"), 0, "MADE");
  });
  EXPECT_EQ(tree_.delta().stores().size(), 2U);
  EXPECT_EQ(content_of(view(), untouched), "of the image: f");
  EXPECT_EQ(content_of(view(), other), "of the image: a/g");
  tree_.merge();
  EXPECT_EQ(tree_.delta().stores().size(), 1U);
  EXPECT_EQ(content_of(view(), untouched), "of the image: f");
  EXPECT_EQ(content_of(view(), other), "of the image: a/g");
  value_of(view().link(unnamed, kRoot, "named"));
  expect_lasting();
}

// Only the layer knew that the file may have some: an image keeps no flags.
TEST_F(LiveMergeHazards, AnAttributeIsSetAfterTheLastOneWentInALayer) {
  const auto parent = tree_.tree().parent("a/f");
  expect_ok(parent->set_xattr("f", "user.old", as_bytes("goes")));
  tree_.open();
  expect_ok(view().remove_xattr(object("a/f"), "user.old"));
  expect_ok(view().set_xattr(object("f"), "user.passing", as_bytes("goes in the layer")));
  expect_ok(view().remove_xattr(object("f"), "user.passing"));
  tree_.merge([&] {
    for (const char* name : {"a/f", "f", "a/sub/f", "b"}) {
      expect_ok(view().set_xattr(object(name), "user.new", as_bytes("set meanwhile")));
    }
  });
  for (const char* name : {"a/f", "f", "a/sub/f", "b"}) {
    EXPECT_EQ(value_of(view().xattr_names(object(name))), std::vector<std::string>{"user.new"});
  }
  expect_lasting();
}

TEST_F(LiveMergeHazards, AttributesOfTheLayerAreReplacedAndRemovedMeanwhile) {
  const auto parent = tree_.tree().parent("a/f");
  expect_ok(parent->set_xattr("f", "user.image", as_bytes("1")));
  tree_.open();
  expect_ok(view().set_xattr(object("a/f"), "user.layer", as_bytes("2")));
  expect_ok(view().set_xattr(object("a/f"), "user.both", as_bytes("3")));
  tree_.merge([&] {
    expect_ok(view().remove_xattr(object("a/f"), "user.image"));
    expect_ok(view().remove_xattr(object("a/f"), "user.layer"));
    expect_ok(view().set_xattr(object("a/f"), "user.both", as_bytes("4")));
  });
  EXPECT_EQ(as_text(value_of(view().xattr(object("a/f"), "user.both"))), "4");
  EXPECT_EQ(value_of(view().xattr_names(object("a/f"))).size(), 1U);
  expect_lasting();
}

TEST_F(LiveMergeHazards, TimesAreKept) {
  tree_.open();
  value_of(view().set_attributes(object("a/f"), {.atime = Time{1'600'000'000, 5}}));
  value_of(view().set_attributes(object("f"), {.mtime = Time{-5, 999'999'999}}));
  value_of(view().set_attributes(object("a/sub/f"), {.permissions = 0600}));
  make_file(view(), "new", "x");
  tree_.clock().step();
  write_at(view(), object("new"), 1, "written later");
  tree_.merge([&] {
    value_of(view().set_attributes(object("a/f"), {.permissions = 0600}));
    value_of(view().set_attributes(object("f"), {.atime = Time{7, 7}}));
  });
  EXPECT_EQ(value_of(view().attributes(object("a/f"))).atime, (Time{1'600'000'000, 5}));
  EXPECT_EQ(value_of(view().attributes(object("f"))).mtime, (Time{-5, 999'999'999}));
  expect_lasting();
}

// Bytes that were written twice are counted twice, until a merge counts them anew.
TEST_F(LiveMergeHazards, ComposedChunksGoOn) {
  tree_.open();
  const auto large = object("large");
  const auto read = [&] {
    std::string bytes(100, '\0');
    value_of(view().read(large, 1'000, as_mutable_bytes(bytes)));
    return bytes;
  };
  write_at(view(), large, 1'010, "patch one");
  for (int i = 0; i < 3; ++i) static_cast<void>(read());
  tree_.seal();
  write_at(view(), large, 1'030, "patch two");
  const auto made = tree_.make();
  for (int i = 0; i < 3; ++i) static_cast<void>(read());
  const auto before = read();
  tree_.put(made);
  EXPECT_EQ(read(), before);
  write_at(view(), large, 1'050, "patch three");
  auto expected = before;
  EXPECT_EQ(read(), expected.replace(50, 11, "patch three"));
  resize("large", 1'020);
  resize("large", 9'000);
  EXPECT_EQ(read(), expected.replace(20, 80, std::string(80, '\0')));
  expect_lasting();
}

// Each base has less new contents than the one before, so that none takes over an earlier one's.
TEST_F(LiveMergeHazards, ManyMergesNeedFewFiles) {
  tree_.open();
  for (std::size_t i = 0; i < 80; ++i) {
    SCOPED_TRACE(i);
    make_file(view(), "new " + std::to_string(i), as_text(pattern(9'000 - 100 * i, 1)));
    tree_.merge();
    if (HasFailure()) break;
  }
  EXPECT_LE(tree_.count_files("base."), 22U);
  expect_lasting();
}

}  // namespace
}  // namespace dgfs::test
