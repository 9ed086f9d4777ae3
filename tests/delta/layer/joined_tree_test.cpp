// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trees whose changes lie in several layers, before and after these are joined.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "delta/layer/join.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_check.h"
#include "delta/view/check/namespace_check.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

class JoinedTree : public testing::Test {
 protected:
  JoinedTree() {
    tree_.tree().directory("a");
    tree_.tree().directory("b");
    tree_.tree().file("a/f", "of the image");
    tree_.tree().file("gone", "of the image");
    tree_.tree().file("long", std::string(3000, 'i'));
    tree_.tree().link("gone", "twin");
    tree_.open();
  }
  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] ObjectNumber object(std::string_view name, ObjectNumber directory = kRoot) {
    return value_of(view().lookup(directory, name)).object;
  }
  [[nodiscard]] std::string content(ObjectNumber file) {
    std::string bytes(static_cast<std::size_t>(value_of(view().attributes(file)).size_bytes), '\0');
    EXPECT_EQ(value_of(view().read(file, 0, as_mutable_bytes(bytes))), bytes.size());
    return bytes;
  }
  void write(ObjectNumber file, std::uint64_t offset, std::string_view bytes) {
    EXPECT_EQ(value_of(view().write(file, offset, as_bytes(bytes))), bytes.size());
  }
  void cut(ObjectNumber file, std::uint64_t size_bytes) {
    view::AttributeChange change;
    change.size_bytes = size_bytes;
    value_of(view().set_attributes(file, change));
  }
  [[nodiscard]] bool has(std::string_view name, ObjectNumber directory = kRoot) {
    return view().lookup(directory, name).has_value();
  }
  void join(std::size_t begin, std::size_t end) {
    tree_.while_closed([&] {
      const auto joined = layer::join_layers(tree_.clock(), ViewedTree::kDelta, {begin, end}, {});
      ASSERT_TRUE(joined) << joined.error().message();
    });
    expect_sound();
  }
  void join_all() { join(0, layers()); }
  [[nodiscard]] std::size_t layers() { return delta::layers_of(tree_.delta().manifest()); }
  void expect_sound() {
    for (const auto& store : tree_.delta().manifest().stores) {
      if (delta::is_base(store.layer.state)) continue;
      const auto checked =
          delta::check_store(tree_.clock(), std::string(ViewedTree::kDelta) + "/" + store.name());
      EXPECT_TRUE(checked) << checked.error().message();
    }
    EXPECT_EQ(findings(tree_.delta()), std::vector<std::string>());
    for (std::size_t state = 1; state <= layers(); ++state) {
      const auto past = tree_.look_back(state);
      EXPECT_EQ(findings(*past.delta), std::vector<std::string>()) << "as of state " << state;
    }
  }
  std::vector<std::string> findings(const delta::DeltaDirectory& delta) {
    std::vector<std::string> found;
    expect_ok(view::check_namespace(
        view::generation_of(tree_.image(), delta),
        [&](const view::Finding& finding) { found.push_back(finding.text); }));
    return found;
  }

  ViewedTree tree_;
};

// rm, seal, create, rm, seal, join, look.
TEST_F(JoinedTree, AnErasedNameOfTheImageStaysAway) {
  value_of(view().unlink(kRoot, "gone"));
  tree_.seal();
  value_of(view().create(kRoot, "gone", {}, {}));
  value_of(view().unlink(kRoot, "gone"));
  tree_.seal();
  EXPECT_FALSE(has("gone"));
  join_all();
  EXPECT_FALSE(has("gone"));
  EXPECT_TRUE(has("twin"));
  EXPECT_FALSE(tree_.look_back(1).view->lookup(kRoot, "gone"));
  value_of(view().create(kRoot, "gone", {}, {}));
  value_of(view().unlink(kRoot, "gone"));
  tree_.seal();
  join_all();
  EXPECT_FALSE(has("gone"));
}

// The record of a name in a newer layer says what its layers hid then.
TEST_F(JoinedTree, ACheckOfAStateFindsNothingFalse) {
  value_of(view().unlink(kRoot, "gone"));
  tree_.seal();
  value_of(view().create(kRoot, "gone", {}, {}));  // hides nothing: the layer below has a whiteout
  value_of(view().create(kRoot, "new", {}, {}));
  tree_.seal();
  value_of(view().unlink(kRoot, "new"));
  value_of(view().create(kRoot, "new", {}, {}));  // hides the name of the layer below
  tree_.seal();
  expect_sound();
  join(0, 2);
  join(0, 2);
  EXPECT_TRUE(has("gone") && has("new"));
  // The next store judges by what is below it now.
  value_of(view().unlink(kRoot, "gone"));
  value_of(view().unlink(kRoot, "new"));
  expect_sound();
  tree_.seal();
  EXPECT_FALSE(has("gone") || has("new"));
  join_all();
  EXPECT_FALSE(has("gone") || has("new"));
}

TEST_F(JoinedTree, ADirectoryWhoseNameParentAndAttributesLieInThreeLayers) {
  const auto made = value_of(view().make_directory(kRoot, "made", 0755, {})).object;
  value_of(view().create(made, "inside", {}, {}));
  tree_.seal();
  value_of(view().rename(kRoot, "made", object("a"), "moved"));
  tree_.seal();
  view::AttributeChange change;
  change.permissions = 0700;
  value_of(view().set_attributes(made, change));
  tree_.seal();
  value_of(view().rename(object("a"), "moved", object("b"), "again"));
  tree_.seal();
  const auto expect_tree = [&] {
    EXPECT_FALSE(has("made") || has("moved", object("a")));
    EXPECT_EQ(object("again", object("b")), made);
    EXPECT_EQ(object("..", made), object("b"));
    EXPECT_EQ(value_of(view().attributes(made)).mode & 07777, 0700U);
    EXPECT_EQ(value_of(view().paths(made)), std::vector<std::string>{"b/again"});
    EXPECT_TRUE(has("inside", made));
  };
  expect_tree();
  join(1, 3);
  expect_tree();
  join_all();
  expect_tree();
  value_of(view().unlink(made, "inside"));
  value_of(view().remove_directory(object("b"), "again"));
  expect_sound();
}

TEST_F(JoinedTree, ANameOfAnImageFileDroppedInEachOfThreeLayers) {
  const auto file = object("gone");
  value_of(view().link(file, kRoot, "third"));
  tree_.seal();
  value_of(view().unlink(kRoot, "gone"));
  tree_.seal();
  value_of(view().unlink(kRoot, "twin"));
  tree_.seal();
  EXPECT_EQ(value_of(view().attributes(file)).link_count, 1U);
  value_of(view().unlink(kRoot, "third"));
  tree_.seal();
  join(1, 3);
  EXPECT_FALSE(has("gone") || has("twin") || has("third"));
  join_all();
  EXPECT_FALSE(has("gone") || has("twin") || has("third"));
  EXPECT_TRUE(has("long"));
}

// Old bytes stay away.
TEST_F(JoinedTree, AFileIsCutGrowsAndIsPatchedInThreeLayers) {
  const auto file = object("long");
  cut(file, 700);
  tree_.seal();
  cut(file, 2600);
  tree_.seal();
  write(file, 1500, "patch");
  tree_.seal();
  std::string expected = std::string(700, 'i') + std::string(1900, '\0');
  expected.replace(1500, 5, "patch");
  EXPECT_EQ(content(file), expected);
  join(1, 3);
  EXPECT_EQ(content(file), expected);
  join_all();
  EXPECT_EQ(content(file), expected);
  cut(file, 3000);
  expected.resize(3000, '\0');
  EXPECT_EQ(content(file), expected);
}

// The numbers that a layer has reserved are not given out again.
TEST_F(JoinedTree, NumbersStayReserved) {
  std::vector<ObjectNumber> made;
  for (int layer = 0; layer < 3; ++layer) {
    for (int i = 0; i < 30; ++i) {
      const auto name = std::to_string(layer) + "-" + std::to_string(i);
      made.push_back(value_of(view().create(kRoot, name, {}, {})).object);
    }
    for (int i = 0; i < 30; ++i) {
      value_of(view().unlink(kRoot, std::to_string(layer) + "-" + std::to_string(i)));
      expect_ok(view().release(made[made.size() - 30 + static_cast<std::size_t>(i)]));
    }
    tree_.seal();
  }
  join_all();
  const auto next = value_of(view().create(kRoot, "next", {}, {})).object;
  EXPECT_GT(next, *std::max_element(made.begin(), made.end()));
}

// A file that was unlinked while it was open, over layers that are joined.
TEST_F(JoinedTree, AnOrphanEndsAboveJoinedLayers) {
  const auto file = value_of(view().create(kRoot, "orphan", {}, {})).object;
  write(file, 0, "data");
  value_of(view().unlink(kRoot, "orphan"));
  tree_.seal_live();
  tree_.wait_until_closed();
  value_of(view().create(kRoot, "other", {}, {}));
  tree_.seal_live();
  tree_.wait_until_closed();
  join_all();
  EXPECT_FALSE(has("orphan"));
  EXPECT_TRUE(has("other"));
}

}  // namespace
}  // namespace dgfs::test
