// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A layer is closed only after the last operation that may use its store.
#include "delta/view/sealer.h"

#include <chrono>
#include <memory>
#include <thread>

#include "delta/view/record/keys.h"
#include "delta/view/writer.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using namespace std::chrono_literals;

class SealerTest : public testing::Test {
 protected:
  SealerTest() {
    tree_.pack();
    image_ = tree_.open();
    const auto& superblock = image_->superblock();
    delta::StoreOptions options;
    options.create = true;
    options.parameters.segment_bytes = 1 << 18;
    expect_ok(delta::DeltaDirectory::create(tree_.memory(), "/delta", superblock.uuid,
                                            superblock.next_inode, options));
    delta_ = value_of(delta::DeltaDirectory::open(tree_.memory(), "/delta", options));
    generations_ =
        std::make_unique<view::Generations>(view::generation_of(*image_, *delta_, &orphans_));
    numbers_ = std::make_unique<view::ObjectNumbers>(*generations_, superblock.next_inode,
                                                     view::ViewOptions{4, 64});
    sealer_ =
        std::make_unique<view::Sealer>(tree_.memory(), *delta_, *generations_, *numbers_, orphans_);
  }
  void change() {
    view::Writer writer(tree_.memory(), *generations_, orphans_);
    value_of(writer.change<int>({1}, [&](view::Change& change) -> Result<std::optional<int>> {
      static_cast<void>(change.moment());
      change.put(view::RecordClass::kTarget, 1, {}, "a target");
      return std::optional(0);
    }));
  }
  void seal() { EXPECT_TRUE(value_of(sealer_->seal({})).outcome); }
  void wait_for_renewal_of(const view::GenerationRef& generation) {
    while (generations_->current() == generation) std::this_thread::sleep_for(1ms);
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  view::Orphans orphans_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::Generations> generations_;
  std::unique_ptr<view::ObjectNumbers> numbers_;
  std::unique_ptr<view::Sealer> sealer_;
};

TEST_F(SealerTest, WaitsForOperationsThatBeganBeforeTheSwitch) {
  auto before = generations_->current();
  change();
  seal();
  std::this_thread::sleep_for(30ms);
  EXPECT_FALSE(sealer_->closing_state());
  expect_ok(before->live().sync());
  before = nullptr;
  expect_ok(sealer_->finish());
}

// While a layer is closed, the generation over the next live store is renewed twice. An operation
// may begin between the two.
TEST_F(SealerTest, WaitsForOperationsThatBeganWhileTheLastLayerWasClosed) {
  auto first = generations_->current();
  change();
  seal();
  auto second = generations_->current();
  first = nullptr;
  wait_for_renewal_of(second);
  auto third = generations_->current();
  second = nullptr;
  expect_ok(sealer_->finish());
  ASSERT_NE(generations_->current(), third);
  change();
  seal();
  std::this_thread::sleep_for(30ms);
  EXPECT_FALSE(sealer_->closing_state());
  expect_ok(third->live().sync());
  third = nullptr;
  expect_ok(sealer_->finish());
}

}  // namespace
}  // namespace dgfs::test
