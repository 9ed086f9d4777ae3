// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mending of an index: the result is the index that was built, or nothing changes.
#include "reader/check/index_mend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reader/check/verify.h"
#include "storage/name_lock.h"
#include "tests/reader/check/index_copies.h"
#include "tests/support/hook_env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

class IndexMend : public IndexCopies, public ::testing::WithParamInterface<PieceTree> {
 protected:
  void SetUp() override { pack(options_of(GetParam())); }

  void damage_by_seed(unsigned seed) {
    SeededEngine random(seed);
    restore();
    for (const auto& piece : pieces_) {
      if (random() % 3 == 0) {
        damage_sidecar(piece);
      } else if (random() % 2 == 0) {
        damage_trailing(piece);
      }
    }
  }
  Result<reader::MendReport> mend(storage::Env& env, const std::string& path = "/t.dgfs") {
    told_ = 0;
    reader::MendOptions options;
    options.damaged = [this](const Error&) { ++told_; };
    return reader::mend_index(env, path, {}, options);
  }
  void expect_whole(const std::string& what) {
    EXPECT_EQ(read_file(*memory_, "/t.dgfs.idx"), index_) << what;
    EXPECT_EQ(read_file(*memory_, "/t.dgfs"), image_) << what;
  }
  [[nodiscard]] std::size_t file_count() const {
    return value_of(value_of(memory_->open_directory("/"))->list()).size();
  }

  std::size_t told_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Trees, IndexMend, ::testing::ValuesIn(kPlainAndFragmentsTree),
                         kPieceTreeNameOf);

TEST_P(IndexMend, NothingIsWrittenWhereNothingIsWrong) {
  put();
  const auto report = value_of(mend(*memory_));
  EXPECT_FALSE(report.is_written);
  EXPECT_EQ(report.index_pieces + report.image_pieces, 0U);
  EXPECT_EQ(report.index_path, "/t.dgfs.idx");
  EXPECT_EQ(report.image_path, "/t.dgfs");
  EXPECT_EQ(told_, 0U);
  expect_whole("nothing");
}

TEST_P(IndexMend, AnyPieceOfEitherCopy) {
  for (const auto& piece : pieces_) {
    for (const bool trailing : {false, true}) {
      restore();
      trailing ? damage_trailing(piece) : damage_sidecar(piece);
      put();
      const auto report = value_of(mend(*memory_));
      EXPECT_EQ(report.is_written, !trailing) << piece.name();
      EXPECT_EQ(report.index_pieces, trailing ? 0U : 1U) << piece.name();
      EXPECT_EQ(report.image_pieces, trailing ? 1U : 0U) << piece.name();
      EXPECT_FALSE(report.image_error) << piece.name();
      EXPECT_EQ(told_, 1U) << piece.name();
      expect_whole(piece.name());
    }
  }
}

TEST_P(IndexMend, EachPieceInOneOfTheCopies) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    damage_by_seed(seed);
    put();
    EXPECT_TRUE(value_of(mend(*memory_)).is_written);
    expect_whole("seed " + std::to_string(seed));
  }
}

TEST_P(IndexMend, ALostOrCutIndexIsMadeAnew) {
  put();
  expect_ok(memory_->remove("/t.dgfs.idx"));
  auto report = value_of(mend(*memory_));
  EXPECT_TRUE(report.was_missing);
  EXPECT_TRUE(report.is_written);
  expect_whole("none");
  for (const std::size_t length : {std::size_t{0}, std::size_t{100}, index_.size() / 2}) {
    sidecar_ = Buffer(index_.begin(), index_.begin() + static_cast<long>(length));
    put();
    // Mending by the index's own name finds the image beside it.
    report = value_of(mend(*memory_, length == 100 ? "/t.dgfs.idx" : "/t.dgfs"));
    EXPECT_TRUE(report.is_written) << length;
    expect_whole(std::to_string(length));
  }
}

TEST_P(IndexMend, WithoutACopyInTheImageOnlyASoundIndexWillDo) {
  builder::BuildOptions options;
  options.trailing_index = false;
  PackedTree tree;
  tree.file("a", "content");
  tree.pack(options);
  EXPECT_FALSE(value_of(mend(tree.memory(), kImage)).is_written);
  auto index = read_file(tree.memory(), kIndex);
  index[4096 + 50] ^= 1;
  expect_ok(tree.memory().remove(kIndex));
  write_file(tree.memory(), kIndex, index);
  const auto mended = mend(tree.memory(), kImage);
  ASSERT_FALSE(mended);
  EXPECT_EQ(read_file(tree.memory(), kIndex), index);
}

TEST_P(IndexMend, WhatBothHaveLostKeepsAllAsItIs) {
  for (const auto& piece : pieces_) {
    restore();
    damage_sidecar(piece);
    damage_trailing(piece);
    if (piece.offset != pieces_[1].offset) damage_sidecar(pieces_[1]);
    put();
    const auto files = file_count();
    const auto mended = mend(*memory_);
    ASSERT_FALSE(mended) << piece.name();
    EXPECT_EQ(mended.error().kind(), ErrorKind::kCorrupt) << piece.name();
    EXPECT_EQ(read_file(*memory_, "/t.dgfs.idx"), sidecar_);
    EXPECT_EQ(read_file(*memory_, "/t.dgfs"), trailing_);
    EXPECT_EQ(file_count(), files);
  }
}

TEST_P(IndexMend, CopiesThatAreIntactAndDifferAreNotMended) {
  // The same block of inode runs with another number in it, and a right checksum.
  const auto& runs = *std::find_if(pieces_.begin(), pieces_.end(), [](const auto& piece) {
    return piece.kind == SectionKind::kVolumes;
  });
  auto body = value_of(format::open_block(runs.kind, Bytes(index_).subspan(runs.offset))).body;
  body.back() ^= 1;
  Buffer block;
  format::seal_block(runs.kind, body, block);
  ASSERT_EQ(block.size(), runs.length);
  std::copy(block.begin(), block.end(), sidecar_.begin() + static_cast<long>(runs.offset));
  put();
  const auto mended = mend(*memory_);
  ASSERT_FALSE(mended);
  EXPECT_EQ(mended.error().section(), "volumes");
}

TEST_P(IndexMend, ALinkInThePlaceOfTheIndexIsNotReplaced) {
  damage_sidecar(pieces_[1]);
  put();
  expect_ok(memory_->rename("/t.dgfs.idx", "/elsewhere"));
  const auto root = value_of(memory_->open_directory("/"));
  expect_ok(root->make_symlink("t.dgfs.idx", "/elsewhere"));
  const auto mended = mend(*memory_);
  ASSERT_FALSE(mended);
  EXPECT_EQ(mended.error().kind(), ErrorKind::kExists);
  EXPECT_EQ(read_file(*memory_, "/elsewhere"), sidecar_);
}

// Such a file may be all that another image has.
TEST_P(IndexMend, WhatHoldsNothingOfTheIndexIsNotReplaced) {
  PackedTree other;
  other.file("other", "content");
  other.pack();
  const std::string text = "To my heirs: the key lies under the third stone.\n";
  auto headless = index_;
  std::fill_n(headless.begin(), 4096, std::uint8_t{0});
  for (const auto& [there, is_replaced] : {std::pair(read_file(other.memory(), kIndex), false),
                                           {Buffer(text.begin(), text.end()), false},
                                           {Buffer(index_.size(), 7), false},
                                           {headless, true}}) {
    restore();
    sidecar_ = there;
    put();
    const auto mended = mend(*memory_);
    EXPECT_EQ(mended.has_value(), is_replaced);
    EXPECT_EQ(read_file(*memory_, "/t.dgfs.idx"), is_replaced ? index_ : there);
    if (is_replaced) continue;
    EXPECT_EQ(mended.error().kind(), ErrorKind::kExists) << mended.error().message();
    EXPECT_EQ(mended.error().file(), "/t.dgfs.idx");
  }
}

// Another image may have taken the place of the one that was read.
TEST_P(IndexMend, NothingIsWrittenToWhatABuildWritesOrHasReplaced) {
  damage_sidecar(pieces_[1]);
  damage_trailing(pieces_[2]);
  put();
  for (const std::string path : {"/t.dgfs", "/t.dgfs.idx"}) {
    const auto lock = value_of(storage::NameLock::take(*memory_, path));
    const auto mended = mend(*memory_);
    ASSERT_FALSE(mended);
    EXPECT_EQ(mended.error().kind(), ErrorKind::kBusy);
    EXPECT_EQ(mended.error().file(), path);
  }
  for (const std::string path : {"/t.dgfs", "/t.dgfs.idx"}) {
    put();
    const auto before = read_file(*memory_, path);
    bool is_replaced = false;
    HookEnv env(*memory_, [&](storage::CallKind kind, const std::string& opened) -> Status {
      if (kind != storage::CallKind::kCreate || !opened.ends_with(".lock") || is_replaced) {
        return ok();
      }
      is_replaced = true;
      const auto file = value_of(memory_->create_unnamed("/"));
      expect_ok(file->write_at(0, before));
      return memory_->publish(*file, path, 0644);
    });
    const auto mended = mend(env);
    ASSERT_FALSE(mended);
    EXPECT_EQ(mended.error().kind(), ErrorKind::kChanged) << mended.error().message();
    EXPECT_EQ(read_file(*memory_, path), before);
  }
  EXPECT_EQ(file_count(), 2U);
}

// Each storage call is the last, or fails alone: everything readable stays readable, and mending
// again completes the work.
TEST_P(IndexMend, WheneverItEnds) {
  damage_by_seed(3);
  for (const auto kind : {storage::FaultKind::kStop, storage::FaultKind::kIoError,
                          storage::FaultKind::kNoSpace, storage::FaultKind::kTornWrite}) {
    bool has_fired = true;
    for (std::uint64_t call = 1; has_fired; call += call < 100 ? 1 : 7) {
      put();
      const auto faulty = storage::make_faulty_env(*memory_, call);
      faulty->arm({kind, call, false});
      const auto mended = mend(*faulty);
      has_fired = faulty->fired() != 0;
      const auto sidecar = read_file(*memory_, "/t.dgfs.idx");
      ASSERT_TRUE(sidecar == sidecar_ || sidecar == index_) << call;
      if (!has_fired && mended) {
        expect_whole("no fault");
        break;
      }
      ASSERT_TRUE(mend(*memory_)) << "mending again after call " << call;
      expect_whole("after call " + std::to_string(call));
    }
  }
}

}  // namespace
}  // namespace dgfs::test
