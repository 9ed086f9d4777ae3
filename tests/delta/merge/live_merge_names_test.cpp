// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a merge into a base could get wrong about names and directories that programs change between
// the seal and the switch.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/delta/merge/live_hazards.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

using LiveMergeNames = LiveHazards;

TEST_F(LiveMergeNames, NamesAreMovedReplacedAndRemovedMeanwhile) {
  tree_.open();
  make_file(view(), "a/new", "made before the seal");
  make_file(view(), "a/other", "also");
  const auto file = object("a/f");
  tree_.merge([&] {
    move_name(view(), "a/f", "b/moved");
    move_name(view(), "a/new", "f");  // replaces the image's
    remove_name(view(), "a/other");
    remove_name(view(), "a/sub/f");
    make_file(view(), "a/other", "made again");
    make_file(view(), "a/sub/f", "made again, where the image had one");
  });
  EXPECT_FALSE(has("a/f"));
  EXPECT_FALSE(has("a/new"));
  EXPECT_EQ(object("b/moved"), file);
  EXPECT_EQ(content("f"), "made before the seal");
  EXPECT_EQ(content("a/other"), "made again");
  EXPECT_EQ(content("a/sub/f"), "made again, where the image had one");
  expect_lasting();
}

TEST_F(LiveMergeNames, WhiteoutsFromBeforeTheSwitchHold) {
  tree_.open();
  make_file(view(), "a/new", "of the layer");
  make_file(view(), "a/gone", "of the layer");
  remove_name(view(), "a/gone");
  tree_.merge([&] {
    remove_name(view(), "a/f");    // the image's
    remove_name(view(), "a/new");  // the layer's
    make_file(view(), "a/gone", "of the live store");
    remove_name(view(), "a/gone");  // hidden already
    make_file(view(), "a/live", "of the live store");
    remove_name(view(), "a/live");
  });
  for (const char* name : {"a/f", "a/new", "a/gone", "a/live"}) EXPECT_FALSE(has(name)) << name;
  expect_lasting();
  for (const char* name : {"a/f", "a/new", "a/gone", "a/live"}) {
    make_file(view(), name, name);
    EXPECT_EQ(content(name), name);
  }
  remove_name(view(), "a/f");
  EXPECT_FALSE(has("a/f"));
  expect_lasting();
}

TEST_F(LiveMergeNames, LinksAreMadeAndRemovedMeanwhile) {
  tree_.open();
  make_file(view(), "new", "made before the seal");
  value_of(view().link(object("f"), object("b"), "f"));
  tree_.merge([&] {
    value_of(view().link(object("new"), object("a"), "new"));
    value_of(view().link(object("a/f"), object("b"), "second"));
    value_of(view().link(object("a/g"), kRoot, "third"));
    remove_name(view(), "a/g");
    remove_name(view(), "f");
  });
  EXPECT_EQ(links("new"), 2U);
  EXPECT_EQ(links("a/f"), 2U);
  EXPECT_EQ(links("third"), 2U);
  EXPECT_EQ(links("b/f"), 1U);
  EXPECT_EQ(value_of(view().paths(object("third"))), (std::vector<std::string>{"b/g", "third"}));
  expect_lasting();
}

TEST_F(LiveMergeNames, AllButOneNameGoOverTheSwitch) {
  tree_.open();
  remove_name(view(), "a/g");
  tree_.merge();
  EXPECT_EQ(links("b/g"), 1U);
  remove_name(view(), "b/g");
  EXPECT_FALSE(has("b/g"));
  expect_lasting();
}

TEST_F(LiveMergeNames, DirectoriesAreMovedOverTheSwitch) {
  tree_.open();
  value_of(view().make_directory(kRoot, "made", 0755, {}));
  make_file(view(), "made/f", "in a directory of the layer");
  move_name(view(), "a/sub", "b/once");
  tree_.merge([&] {
    move_name(view(), "b/once", "made/twice");
    move_name(view(), "made", "b/made");
    remove_tree(view(), "a");
    value_of(view().make_directory(kRoot, "a", 0700, {}));
  });
  EXPECT_EQ(content("b/made/twice/deep/f"), "of the image: a/sub/deep/f");
  EXPECT_EQ(content("b/made/f"), "in a directory of the layer");
  EXPECT_EQ(children("a"), 0U);
  expect_lasting();
  move_name(view(), "b/made/twice/deep", "deep");
  remove_tree(view(), "b");
  EXPECT_EQ(content("deep/f"), "of the image: a/sub/deep/f");
  expect_lasting();
}

TEST_F(LiveMergeNames, DirectoriesChangePlacesMeanwhile) {
  tree_.open();
  tree_.merge(
      [&] { value_of(view().rename(kRoot, "a", kRoot, "b", view::RenameMode::kExchange)); });
  EXPECT_EQ(content("b/sub/f"), "of the image: a/sub/f");
  expect_lasting();
}

TEST_F(LiveMergeNames, RemovedWorkingDirectoriesGoOn) {
  tree_.open();
  const auto upper = object("a/sub");
  const auto lower = object("a/sub/deep");
  const auto listing = value_of(view().open_listing(lower));
  remove_name(view(), "a/sub/deep/f");
  remove_name(view(), "a/sub/f");
  value_of(view().remove_directory(upper, "deep"));
  value_of(view().remove_directory(object("a"), "sub"));
  for (int i = 0; i < 2; ++i) {
    tree_.merge();
    EXPECT_EQ(value_of(view().lookup(lower, "..")).object, upper);
    EXPECT_EQ(value_of(view().lookup(upper, "..")).object, object("a"));
    EXPECT_EQ(kind_of(view().lookup(lower, "f")), ErrorKind::kNotFound);
    EXPECT_EQ(kind_of(view().create(lower, "new", {}, {})), ErrorKind::kNotFound);
    expect_ok(view().list(lower, "", [](const view::View::ListedName& listed) {
      ADD_FAILURE() << listed.name;
      return true;
    }));
    expect_ok(listing->read(0, true, [](const view::ListingName& listed) {
      ADD_FAILURE() << listed.name;
      return true;
    }));
  }
  expect_ok(view().release(upper));
  EXPECT_EQ(value_of(view().attributes(lower)).link_count, 0U);
  tree_.merge();
  EXPECT_EQ(value_of(view().attributes(lower)).link_count, 0U);
  expect_ok(view().release(lower));
  expect_lasting();
}

TEST_F(LiveMergeNames, CountsOfDirectoriesGoOn) {
  tree_.open();
  value_of(view().make_directory(object("a"), "before", 0755, {}));
  remove_name(view(), "a/f");
  tree_.merge([&] {
    value_of(view().make_directory(object("a"), "meanwhile", 0755, {}));
    remove_tree(view(), "a/sub");
  });
  EXPECT_EQ(links("a"), 4U);
  EXPECT_EQ(children("a"), 3U);  // before, g, meanwhile
  value_of(view().make_directory(object("a"), "after", 0755, {}));
  value_of(view().remove_directory(object("a"), "before"));
  EXPECT_EQ(links("a"), 4U);
  EXPECT_EQ(children("a"), 3U);
  tree_.expect_sound();
  expect_lasting();
}

TEST_F(LiveMergeNames, OnlyCountsOfBlocksChange) {
  tree_.open();
  const auto file = make_file(view(), "new", std::string(600, 'x'));
  value_of(view().set_attributes(file, {.size_bytes = 50'000}));
  for (int i = 0; i < 20; ++i) write_at(view(), file, 0, std::string(600, 'y'));
  const auto before = value_of(view().attributes(file));
  EXPECT_GE(before.blocks, 24U);
  tree_.merge();
  auto after = value_of(view().attributes(file));
  EXPECT_LE(after.blocks, 8U);  // builds look for holes of 4 KiB
  after.blocks = before.blocks;
  EXPECT_EQ(after, before);
  write_at(view(), file, 40'000, "more");
  EXPECT_LE(value_of(view().attributes(file)).blocks, 9U);
  expect_lasting();
}

TEST_F(LiveMergeNames, AListingGoesOnOverTheSwitch) {
  tree_.open();
  for (int i = 0; i < 40; ++i) make_file(view(), "b/n" + std::to_string(100 + i), "x");
  const auto listing = value_of(view().open_listing(object("b")));
  std::set<std::string> seen;
  view::ListingCookie cookie = 0;
  const auto list = [&](int names) {
    expect_ok(listing->read(cookie, false, [&](const view::ListingName& listed) {
      if (names-- == 0) return false;
      EXPECT_TRUE(seen.emplace(listed.name).second) << listed.name;
      cookie = listed.cookie;
      return true;
    }));
  };
  list(10);
  tree_.merge([&] {
    list(10);
    remove_name(view(), "b/n139");
  });
  list(10);
  tree_.merge();
  list(100);
  EXPECT_EQ(seen.size(), 2 + 1 + 39U);  // ".", "..", "g"
}

}  // namespace
}  // namespace dgfs::test
