// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images whose objects have numbers in no order: more than a hundred thousand runs of numbers.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "builder/kept_tree.h"
#include "format/entry/mode.h"
#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {
namespace {

using format::InodeNumber;

// A prime, so that multiples of another number meet each rest once.
constexpr std::uint64_t kScattered = 100'003;
constexpr std::uint64_t kStep = 7919;

InodeNumber number_of(std::uint64_t file) { return 2 + file * kStep % kScattered; }

std::string file_name(std::uint64_t file) {
  const auto digits = std::to_string(file);
  return "file-" + std::string(6 - digits.size(), '0') + digits;
}

/// A directory of empty files. No two neighbours have neighbouring numbers.
class ScatteredTree final : public builder::KeptTree {
 public:
  /// @param root  empty; must outlive this
  explicit ScatteredTree(const storage::Directory& root) : root_(root) {}

  Result<builder::ScanTotals> scan(const builder::ScanSinks& sinks,
                                   builder::KeptExtents& /*kept*/) const override {
    builder::ScannedEntry entry;
    entry.mode = format::kTypeDirectory | 0755;
    entry.inode = view::kRoot;
    DGFS_CHECK(sinks.tree.add(entry));
    DGFS_CHECK(sinks.tree.begin_directory({}));
    entry.mode = format::kTypeRegular | 0644;
    for (std::uint64_t i = 0; i < kScattered; ++i) {
      const auto name = file_name(i);
      entry.name = name;
      entry.inode = number_of(i);
      DGFS_CHECK(sinks.tree.add(entry));
    }
    builder::ScanTotals totals;
    totals.entries = 1 + kScattered;
    return totals;
  }
  const storage::Directory& root() const override { return root_; }
  const std::vector<builder::KeptVolume>& volumes() const override { return volumes_; }
  builder::KeepRules rules() const override { return {}; }
  std::optional<format::StateId> state() const override { return std::nullopt; }
  const format::ContentDictionaries& dictionaries() const override { return dictionaries_; }
  InodeNumber next_inode() const override { return 2 + kScattered; }

 private:
  const storage::Directory& root_;
  std::vector<builder::KeptVolume> volumes_;
  format::ContentDictionaries dictionaries_;
};

class MergeRuns : public testing::Test {
 protected:
  MergeRuns() {
    const auto root = value_of(changed_.memory().open_directory("/tree"));
    auto options = plan_of().build;
    options.image_path = kImage;
    value_of(builder::build(changed_.memory(), ScatteredTree(*root), options));
    changed_.go_on(kImage);
  }
  static void expect_numbers(const reader::Image& image) {
    for (std::uint64_t i = 0; i < kScattered; i += 101) {
      EXPECT_EQ(value_of(image.lookup(file_name(i))).inode, number_of(i)) << i;
      EXPECT_EQ(value_of(image.path_of(number_of(i))), file_name(i)) << i;
    }
    EXPECT_FALSE(image.by_inode(image.superblock().next_inode));
    EXPECT_FALSE(image.by_inode(0));
  }

  ChangedTree changed_;
};

TEST_F(MergeRuns, AHundredThousandAreFound) {
  const auto image = changed_.open_image(kImage);
  EXPECT_GE(image->inode_runs(), kScattered);
  EXPECT_NE(image->superblock().incompat & format::feature::kIncompatSplitInodes, 0U)
      << "they need several blocks";
  expect_numbers(*image);
}

TEST_F(MergeRuns, TheyStayInAMerge) {
  view::ObjectNumber made = 0;
  changed_.change([&](view::View& view) {
    made = make_file(view, "file-050000 and a half", "new");
    value_of(view.set_attributes(object_at(view, file_name(70'000)), {.permissions = 0600}));
    move_name(view, file_name(3), "moved");
    move_name(view, "moved", file_name(3));
  });
  changed_.merge();
  const auto image = changed_.open_image();
  EXPECT_GE(image->inode_runs(), kScattered);
  expect_numbers(*image);
  EXPECT_EQ(value_of(image->lookup("file-050000 and a half")).inode, made);
  EXPECT_EQ(value_of(image->lookup(file_name(70'000))).mode, format::kTypeRegular | 0600U);
}

TEST_F(MergeRuns, NewNumbersJoinThem) {
  changed_.merge(plan_of(MergeKind::kRenumbers));
  const auto image = changed_.open_image();
  EXPECT_EQ(image->inode_runs(), 1U);
  EXPECT_EQ(image->superblock().incompat & format::feature::kIncompatSplitInodes, 0U);
  EXPECT_EQ(value_of(image->lookup(file_name(5))).inode, 7U);
}

}  // namespace
}  // namespace dgfs::test
