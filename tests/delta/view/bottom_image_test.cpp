// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/bottom_image.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

constexpr const char* kBasePath = "/d/base.0003.dgfs";

// Two images: that of a delta, and one that stands for the base in its directory "/d".
class BottomImage : public testing::Test {
 protected:
  BottomImage() {
    expect_ok(memory().make_directory("/d", 0700));
    tree_.file("f", "of the base");
    tree_.pack();
    manifest_.base.emplace();
    manifest_.base->number = 3;
    manifest_.base->uuid = tree_.open()->superblock().uuid;
    expect_ok(memory().rename(kImage, kBasePath));
    expect_ok(memory().rename(kIndex, std::string(kBasePath) + ".idx"));
    tree_.file("g", "of the image");
    tree_.pack();
    manifest_.image = tree_.open()->superblock().uuid;
  }
  storage::MemoryEnv& memory() { return tree_.memory(); }
  std::shared_ptr<const reader::Image> open(const std::string& path) {
    return value_of(reader::Image::open(memory(), path));
  }
  Result<std::shared_ptr<const reader::Image>> bottom(const std::string& path,
                                                      const reader::OpenOptions& options = {}) {
    return view::bottom_of_delta(memory(), open(path), path, "/d", manifest_, options);
  }

  PackedTree tree_;
  delta::Manifest manifest_;
};

TEST_F(BottomImage, IsTheImageAsLongAsThereIsNoBase) {
  manifest_.base.reset();
  const auto given = open(kImage);
  const auto found = view::bottom_of_delta(memory(), given, kImage, "/d", manifest_, {});
  EXPECT_EQ(value_of(found), given) << "it is not opened again";
}

TEST_F(BottomImage, IsTheBaseWhicheverOfTheTwoIsNamed) {
  for (const char* path : {kImage, kBasePath}) {
    const auto found = value_of(bottom(path));
    EXPECT_EQ(found->superblock().uuid, manifest_.base->uuid) << path;
    EXPECT_FALSE(found->lookup("g")) << path;
  }
}

// The index that a user names is that of the image.
TEST_F(BottomImage, TakesNoIndexOfTheImage) {
  reader::OpenOptions options;
  options.index_path = kIndex;
  EXPECT_TRUE(bottom(kImage, options));
}

TEST_F(BottomImage, AnotherImageIsRefused) {
  tree_.file("h", "so that it is another");
  tree_.pack();
  const auto refused = [&] {
    const auto found = bottom(kImage);
    EXPECT_FALSE(found);
    EXPECT_EQ(found.error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(found.error().code(), 7617);
    return found.error().message();
  };
  const auto end = " (uuid " + format::uuid_text(manifest_.image) + ")";
  EXPECT_EQ(refused(),
            "/out/t.dgfs is not the image of /d, which was made over another image" + end);
  manifest_.image_path = "/srv/photos-2025.dgfs";
  EXPECT_EQ(refused(),
            "/out/t.dgfs is not the image of /d, which was made over photos-2025.dgfs" + end);
}

// An earlier base, for example, from a backup of another time.
TEST_F(BottomImage, ABaseOfAnotherUuidIsDamage) {
  const auto right = manifest_.base->uuid;
  manifest_.base->uuid.fill(9);
  const auto found = bottom(kImage);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(found.error().code(), 7618);
  EXPECT_EQ(found.error().message(),
            "/d/base.0003.dgfs: has UUID " + format::uuid_text(right) +
                ", but the manifest says 09090909-0909-0909-0909-090909090909");
}

TEST_F(BottomImage, AMissingBaseIsAnError) {
  expect_ok(memory().remove(kBasePath));
  expect_ok(memory().remove(std::string(kBasePath) + ".idx"));
  EXPECT_EQ(bottom(kImage).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace dgfs::test
