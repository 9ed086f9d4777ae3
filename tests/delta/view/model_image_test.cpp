// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A ModelTree that starts from an image, and as a value; and the operations made for it.
#include <gtest/gtest.h>

#include <set>

#include "format/limits.h"
#include "tests/delta/view/model/object_pairs.h"
#include "tests/delta/view/model/operation_maker.h"
#include "tests/delta/view/model/perform.h"
#include "tests/delta/view/model/tree_dump.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

constexpr int kOperations = 20'000;

class ModelImageTest : public testing::Test {
 protected:
  ModelImageTest() {
    tree_.directory("a");
    tree_.directory("a/b");
    tree_.directory("a/empty");
    tree_.file("a/b/file", std::string(1000, 'f'));
    tree_.link("a/b/file", "further");
    tree_.symlink("link", "a/b");
    tree_.symlink("a/far", std::string(format::kTargetBytesMax, 't'));
    tree_.pack();
    image_ = tree_.open();
  }

  [[nodiscard]] const reader::Image& image() const { return *image_; }

 private:
  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
};

TEST_F(ModelImageTest, HasWhatTheImageSays) {
  const auto model = ModelTree::of_image(image());
  ASSERT_EQ(model.objects().size(), 7U);
  for (const auto& [id, object] : model.objects()) {
    const auto node = value_of(image().by_inode(id));
    const auto& attributes = object.attributes;
    EXPECT_EQ(attributes.mode, node.mode);
    EXPECT_EQ(attributes.uid, node.uid);
    EXPECT_EQ(attributes.link_count, node.link_count) << id;
    EXPECT_EQ(attributes.size_bytes, node.size_bytes);
    EXPECT_EQ(attributes.children, object.names.size());
    EXPECT_EQ(attributes.mtime, node.mtime);
    const auto paths = model.paths(id).assume_value();
    for (const auto& path : paths) {
      EXPECT_EQ(value_of(image().lookup(path)).inode, id) << path;
    }
  }
}

TEST_F(ModelImageTest, KnowsNamesAndTargets) {
  const auto model = ModelTree::of_image(image());
  const auto file = model.lookup(view::kRoot, "further").assume_value();
  EXPECT_EQ(file.attributes.link_count, 2U);
  EXPECT_EQ(file.attributes.blocks, 2U);
  EXPECT_EQ(model.paths(file.object).assume_value(),
            (std::vector<std::string>{"a/b/file", "further"}));
  const auto link = model.lookup(view::kRoot, "link").assume_value();
  EXPECT_EQ(model.read_link(link.object).assume_value(), "a/b");
  const auto a = model.lookup(view::kRoot, "a").assume_value();
  EXPECT_EQ(a.attributes.link_count, 4U);
  EXPECT_EQ(a.attributes.children, 3U);
}

TEST_F(ModelImageTest, CopiesAreTreesOfTheirOwn) {
  auto model = ModelTree::of_image(image());
  const auto before = dump(ModelFacts(model), {});
  const ModelTree copy = model;
  ASSERT_TRUE(model.unlink(view::kRoot, "further"));
  EXPECT_NE(first_difference(before, dump(ModelFacts(model), {})), "");
  EXPECT_EQ(first_difference(before, dump(ModelFacts(copy), {})), "");
}

TEST_F(ModelImageTest, WhatHasNoNameEndsWithReleaseOrAllAtOnce) {
  auto model = ModelTree::of_image(image());
  const auto link = model.unlink(view::kRoot, "link").assume_value();
  const auto unnamed = model.create_unnamed(view::kRoot, 0600, {}).assume_value();
  EXPECT_EQ(link.attributes.link_count, 0U);
  EXPECT_EQ(model.read_link(link.object).assume_value(), "a/b");
  ASSERT_TRUE(model.release(link.object));
  EXPECT_EQ(model.attributes(link.object).assume_error(), ErrorKind::kNotFound);
  EXPECT_TRUE(model.attributes(unnamed.object));
  model.end_unnamed();
  EXPECT_EQ(model.attributes(unnamed.object).assume_error(), ErrorKind::kNotFound);
  EXPECT_EQ(model.objects().size(), 6U);
}

// Each kind of operation and each error of a view occurs, and the tree neither grows for ever nor
// dies out.
TEST_F(ModelImageTest, OperationsAreOfAllKinds) {
  Random random(1);
  OperationMaker maker(random, {});
  auto model = ModelTree::of_image(image());
  std::set<std::string> kinds;
  std::set<ErrorKind> errors;
  for (int count = 0; count < kOperations; ++count) {
    const Operation operation = maker.next(model);
    kinds.insert(operation.kind);
    const auto result = perform(operation, model);
    if (result.error) errors.insert(*result.error);
    EXPECT_LT(model.objects().size(), 250U);
  }
  for (const auto& kind : OperationMaker::kinds()) EXPECT_TRUE(kinds.contains(kind)) << kind;
  EXPECT_EQ(errors,
            (std::set{ErrorKind::kUnsupported, ErrorKind::kInvalidArgument, ErrorKind::kNotFound,
                      ErrorKind::kExists, ErrorKind::kNotDirectory, ErrorKind::kIsDirectory,
                      ErrorKind::kNotEmpty, ErrorKind::kNameTooLong, ErrorKind::kNotPermitted,
                      ErrorKind::kNoAttribute, ErrorKind::kTooLarge, ErrorKind::kOutOfRange}));
  EXPECT_GT(model.objects().size(), 50U);
}

TEST(ObjectPairsTest, ForgetsWhatIsUndoneButNotThatItWasGiven) {
  view::Attributes root;
  root.mode = format::kTypeDirectory | 0755;
  ModelTree model(root);
  ObjectPairs pairs(model);
  const ModelTree before = model;
  const auto made = model.create(view::kRoot, "a", {}, {}).assume_value();
  ASSERT_TRUE(pairs.is_new(77));
  pairs.add(77, made.object);
  EXPECT_EQ(pairs.number_of(made.object), 77U);
  EXPECT_EQ(pairs.id_of(77), made.object);
  pairs.return_to(before);
  EXPECT_FALSE(pairs.has(made.object));
  EXPECT_FALSE(pairs.is_new(77));
}

}  // namespace
}  // namespace dgfs::test
