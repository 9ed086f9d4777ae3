// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/change.h"

#include <gtest/gtest.h>

#include <variant>

#include "delta/view/record/keys.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;

constexpr view::ObjectNumber kOther = 77;
const Time kNow{1000, 5};

class ChangeTest : public testing::Test {
 protected:
  ChangeTest() {
    tree_.pack();
    image_ = tree_.open();
    const auto& superblock = image_->superblock();
    delta::StoreOptions options;
    options.create = true;
    expect_ok(delta::DeltaDirectory::create(tree_.memory(), "/changes", superblock.uuid,
                                            superblock.next_inode, options));
    delta_ = value_of(delta::DeltaDirectory::open(tree_.memory(), "/changes", options));
    layers_ = view::generation_of(*image_, *delta_);
  }
  // The operations that are on the attributes of an object.
  [[nodiscard]] static std::vector<delta::Message> changes_of(const view::Change& change,
                                                              view::ObjectNumber object) {
    std::vector<delta::Message> found;
    for (const auto& operation : change.batch().operations()) {
      const auto* point = std::get_if<delta::PointChange>(&operation);
      if (point != nullptr && point->key == key_of(view::RecordClass::kAttributes, object)) {
        found.push_back(point->message);
      }
    }
    return found;
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  view::GenerationRef layers_;
  view::ObjectLocks locks_;
};

TEST_F(ChangeTest, EditsOfAnObjectAreOneOperation) {
  std::vector<view::ObjectNumber> objects{kRoot, kOther};
  const view::ObjectLocks::Held held(locks_, objects);
  view::Change change(layers_, held, kNow, false);
  change.grow(kRoot, 100);
  change.add_blocks(kRoot, 1);
  change.set_ctime(kOther);
  change.put_chunk(kRoot, 0, "contents");
  change.add_blocks(kRoot, 2);
  change.set_bytes(kRoot, view::field::kMtime, view::time_bytes(kNow));
  change.set_ctime(kRoot);
  change.complete();
  EXPECT_EQ(change.batch().operations().size(), 3U);
  ASSERT_EQ(changes_of(change, kRoot).size(), 1U);
  EXPECT_EQ(changes_of(change, kOther).size(), 1U);
  view::AttributesRecord before;
  before.attributes.mode = format::kTypeRegular | 0644;
  std::string value = view::encode_attributes(before);
  changes_of(change, kRoot).front().patch.apply_to(value);
  const auto record = view::decode_attributes(value);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->attributes.size_bytes, 100U);
  EXPECT_EQ(record->attributes.blocks, 3U);
  EXPECT_EQ(record->attributes.mtime, kNow);
  EXPECT_EQ(record->attributes.ctime, kNow);
}

TEST_F(ChangeTest, ARecordIsPutAfterTheEditsBeforeIt) {
  std::vector<view::ObjectNumber> objects{kRoot};
  const view::ObjectLocks::Held held(locks_, objects);
  view::Change change(layers_, held, kNow, false);
  change.set_mode(kRoot, 0600);
  change.put_object(kRoot, {});
  change.set_mode(kRoot, 0640);
  change.drop(view::RecordClass::kAttributes, kRoot);
  change.complete();
  const auto changes = changes_of(change, kRoot);
  ASSERT_EQ(changes.size(), 4U);
  EXPECT_EQ(changes[0].kind, delta::MessageKind::kPatch);
  EXPECT_EQ(changes[1].kind, delta::MessageKind::kPut);
  EXPECT_EQ(changes[2].kind, delta::MessageKind::kPatch);
  EXPECT_TRUE(changes[3].is_final());
}

}  // namespace
}  // namespace dgfs::test
