// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One budget for image, stores and view: the test counts their memory with operator new, while one
// after the other needs more.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delta/view/view.h"
#include "delta/view/view_memory.h"
#include "storage/posix/env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/heap_meter.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

constexpr std::size_t kMemoryBytes = std::size_t{16} << 20;
constexpr std::size_t kFileBytes = std::size_t{1} << 20;
constexpr std::size_t kCallBytes = std::size_t{64} << 10;
constexpr int kFiles = 24;
constexpr int kNames = 60'000;

std::string file_name(int i) { return "file" + std::to_string(i); }
std::string small_name(int i) { return "small/" + std::to_string(i); }

// Half of the bytes do not compress.
Buffer content(std::uint32_t seed) {
  Buffer bytes = pattern(kFileBytes, seed);
  std::fill(bytes.begin() + kFileBytes / 2, bytes.end(), std::uint8_t{7});
  return bytes;
}

class ViewBudget : public testing::Test {
 protected:
  ViewBudget() {
    for (int i = 0; i < kFiles; ++i) {
      tree_.file(file_name(i), content(static_cast<std::uint32_t>(i)));
    }
    tree_.directory("small");
    for (int i = 0; i < kNames; ++i) tree_.file(small_name(i), "");
    builder::BuildOptions options;
    options.compression = builder::Compression{};
    tree_.pack(options);
    reader::OpenOptions image;
    memory_.share_with(image);
    image_ = tree_.open(image);
    delta::StoreOptions store;
    store.create = true;
    store.in_background = true;
    memory_.share_with(store);
    const auto& superblock = image_->superblock();
    expect_ok(delta::DeltaDirectory::create(*env_, dir_ / "delta", superblock.uuid,
                                            superblock.next_inode, store));
    delta_ = value_of(delta::DeltaDirectory::open(*env_, dir_ / "delta", store));
    expect_ok(delta_->newest().start());
    view::ViewOptions options_of_view;
    memory_.share_with(options_of_view);
    view_ = value_of(view::View::open(*env_, *image_, *delta_, options_of_view));
    for (int i = 0; i < kFiles; ++i) {
      files_.push_back(value_of(view_->lookup(kRoot, file_name(i))).object);
    }
    meter_.emplace();
  }

  void expect_within_budget(const std::string& after) {
    EXPECT_LE(memory_.pool().bytes(), memory_.pool().bytes_max() + kCallBytes) << after;
    EXPECT_LE(meter_->peak_bytes(), kMemoryBytes) << after;
  }
  void read_all() {
    Buffer out(kCallBytes);
    for (const ObjectNumber file : files_) {
      for (std::size_t at = 0; at < kFileBytes; at += out.size()) {
        value_of(view_->read(file, at, out));
      }
    }
  }
  void look_up_all() {
    const auto small = value_of(view_->lookup(kRoot, "small")).object;
    for (int i = 0; i < kNames; ++i) value_of(view_->lookup(small, std::to_string(i)));
  }
  // Patches a few bytes of each chunk.
  void patch_all() {
    for (const ObjectNumber file : files_) {
      for (std::size_t at = 100; at < kFileBytes; at += 5000) {
        value_of(view_->write(file, at, as_bytes("patch")));
      }
    }
  }

  TempDir dir_;
  PackedTree tree_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  view::ViewMemory memory_{kMemoryBytes};
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
  std::vector<ObjectNumber> files_;
  std::optional<HeapMeter> meter_;  // counts from the end of packing on
};

TEST_F(ViewBudget, AllCachesTogetherStayWithinIt) {
  read_all();
  EXPECT_GE(memory_.pool().bytes(), kMemoryBytes / 2)
      << "the frame cache takes the memory that the others do not need";
  expect_within_budget("frames");
  look_up_all();
  expect_within_budget("pages of the index");
  patch_all();
  expect_within_budget("patches");
  expect_ok(view_->sync());
  for (int round = 0; round < 3; ++round) read_all();
  expect_within_budget("composed chunks");
  const auto before = image_->counters().frames.bytes;
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const auto file = files_[random.below(files_.size())];
    value_of(view_->write(file, random.below(16) * kCallBytes, random.bytes(kCallBytes)));
  }
  expect_within_budget("whole chunks");
  expect_ok(delta_->newest().checkpoint());
  for (int round = 0; round < 3; ++round) look_up_all();
  read_all();
  expect_within_budget("all of them again");
  EXPECT_GT(before, 0U);
}

// Programs ask for the copy of as much as can be, whatever the length of the file.
TEST_F(ViewBudget, ACopyTakesMemoryForWhatThereIs) {
  const auto from = value_of(view_->create(kRoot, "short", {}, {})).object;
  const auto to = value_of(view_->create(kRoot, "copy", {}, {})).object;
  value_of(view_->write(from, 0, as_bytes("a few bytes")));
  meter_.reset();
  meter_.emplace();
  EXPECT_EQ(value_of(view_->copy(from, 2, to, 0, UINT64_MAX / 2)), 9U);
  EXPECT_EQ(value_of(view_->copy(from, 11, to, 0, 1)), 0U);
  EXPECT_EQ(value_of(view_->copy(from, 5000, to, 0, 1)), 0U);
  EXPECT_LE(meter_->peak_bytes(), kCallBytes);
}

}  // namespace
}  // namespace dgfs::test
