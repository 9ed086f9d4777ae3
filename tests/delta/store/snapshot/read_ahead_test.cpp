// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The reads that cursors announce to the storage.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "storage/forwarding_env.h"
#include "storage/memory/env.h"
#include "tests/delta/store/counted_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

struct Announcements {
  std::map<std::uint64_t, std::uint64_t> ends;  // announced ranges: begin to end
  std::uint64_t bytes = 0;
  int reads = 0;
  int announced_reads = 0;
  bool is_at_hand = false;  // whether all bytes are at hand

  [[nodiscard]] bool has(std::uint64_t offset_bytes) const {
    const auto next = ends.upper_bound(offset_bytes);
    return next != ends.begin() && offset_bytes < std::prev(next)->second;
  }
};

class WatchedFile final : public storage::ForwardingFile {
 public:
  WatchedFile(std::unique_ptr<storage::File> inner, Announcements& seen)
      : ForwardingFile(std::move(inner)), seen_(seen) {}
  using ForwardingFile::read_at;
  Result<std::size_t> read_at(std::uint64_t offset_bytes, MutableBytes out) const override {
    ++seen_.reads;
    seen_.announced_reads += seen_.has(offset_bytes) ? 1 : 0;
    return ForwardingFile::read_at(offset_bytes, out);
  }
  std::size_t read_at_hand(std::uint64_t offset_bytes, MutableBytes out) const override {
    return seen_.is_at_hand ? read_at(offset_bytes, out).value() : 0;
  }
  void advise(storage::Access access, std::uint64_t offset_bytes,
              std::uint64_t length_bytes) override {
    if (access == storage::Access::kWriteBack) return;  // about written bytes
    EXPECT_EQ(access, storage::Access::kWillNeed);
    auto& end = seen_.ends[offset_bytes];
    end = std::max(end, offset_bytes + length_bytes);
    seen_.bytes += length_bytes;
  }

 private:
  Announcements& seen_;
};

class WatchingEnv final : public storage::ForwardingEnv {
 public:
  /// @param name  the end of the paths of watched files
  WatchingEnv(storage::Env& base, std::string name, Announcements& seen)
      : storage::ForwardingEnv(base), name_(std::move(name)), seen_(seen) {}
  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    DGFS_TRY(file, base().open(path, options));
    if (!path.ends_with(name_)) return std::move(file);
    return std::unique_ptr<storage::File>(std::make_unique<WatchedFile>(std::move(file), seen_));
  }

 private:
  std::string name_;
  Announcements& seen_;
};

class CursorReadAhead : public CountedStore {
 protected:
  CursorReadAhead() : CountedStore({4096, 8192, 8, 1 << 20}) {
    for (int i = 0; i < 4000; ++i) put(i * 7919 % 4000, std::string(100, 'v'));
    EXPECT_TRUE(store_->checkpoint());
    store_.reset();
    store_ = open_store(watching_, options_);
    seen_ = {};
  }

  Announcements seen_;
  WatchingEnv watching_{*memory_, "/blocks", seen_};
};

TEST_F(CursorReadAhead, AScanTellsWhatComesNext) {
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek(""));
  while (cursor.is_at_key()) ASSERT_TRUE(cursor.next());
  EXPECT_GT(seen_.reads, 100);
  EXPECT_GT(seen_.announced_reads, seen_.reads / 2);
  seen_ = {};
  ASSERT_TRUE(cursor.seek_before(std::nullopt));
  while (cursor.is_at_key()) ASSERT_TRUE(cursor.previous());
  EXPECT_GT(seen_.announced_reads, seen_.reads / 2);
}

TEST_F(CursorReadAhead, WhoLooksUpKeysAnnouncesNothing) {
  for (int i = 0; i < 4000; i += 100) {
    ASSERT_TRUE(store_->get(numbered_key(i)));
    auto cursor = store_->cursor();
    ASSERT_TRUE(cursor.seek(numbered_key(i)));
  }
  EXPECT_GT(seen_.reads, 40);
  EXPECT_EQ(seen_.ends.size(), 0U);
}

// Reading begins where the deleted keys end, and must not read further. It enters a second page
// only if a page begins exactly there, as any scan may.
TEST_F(CursorReadAhead, WhoBeginsAtDeletedKeysAnnouncesNothing) {
  for (int i = 100; i < 4000; i += 100) {
    Batch batch;
    batch.remove_range({numbered_key(i), numbered_key(i + 10)});
    ASSERT_TRUE(store_->apply(batch));
  }
  for (int i = 100; i < 4000; i += 100) {
    auto cursor = store_->cursor();
    ASSERT_TRUE(cursor.seek(numbered_key(i)));
    EXPECT_EQ(cursor.key(), numbered_key(i + 10));
    ASSERT_TRUE(cursor.seek_before(numbered_key(i + 10)));
    EXPECT_EQ(cursor.key(), numbered_key(i - 1));
  }
  EXPECT_GT(seen_.reads, 40);
  EXPECT_LE(seen_.ends.size(), 4U);
}

// Large values that lie in another order than their keys.
class CursorValueAhead : public CountedStore {
 protected:
  static constexpr int kCount = 400;

  CursorValueAhead() : CountedStore({4096, 8192, 8, 1 << 20, 4096}) {
    for (int i = 0; i < kCount; ++i) put(i * 37 % kCount, std::string(8192, 'v'));
    EXPECT_TRUE(store_->checkpoint());
    store_.reset();
    store_ = open_store(watching_, options_);
    seen_ = {};
  }
  void expect_most_announced() const {
    EXPECT_EQ(seen_.reads, kCount);
    EXPECT_GE(seen_.announced_reads, kCount * 9 / 10);
  }

  Announcements seen_;
  WatchingEnv watching_{*memory_, "/extents", seen_};
};

TEST_F(CursorValueAhead, AScanTellsWhatComesNext) {
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek(""));
  while (cursor.is_at_key()) {
    ASSERT_TRUE(cursor.value());
    ASSERT_TRUE(cursor.next());
  }
  expect_most_announced();
  seen_ = {};
  ASSERT_TRUE(cursor.seek_before(std::nullopt));
  while (cursor.is_at_key()) {
    ASSERT_TRUE(cursor.value());
    ASSERT_TRUE(cursor.previous());
  }
  expect_most_announced();
}

TEST_F(CursorValueAhead, NothingIsAnnouncedForKeysAloneNorForTheFirstValue) {
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek(""));
  while (cursor.is_at_key()) ASSERT_TRUE(cursor.next());
  for (int i = 0; i < kCount; i += 10) {
    ASSERT_TRUE(cursor.seek(numbered_key(i)));
    ASSERT_TRUE(cursor.value());
  }
  EXPECT_EQ(seen_.reads, kCount / 10);
  EXPECT_EQ(seen_.ends.size(), 0U);
}

TEST_F(CursorValueAhead, WhatIsAtHandIsNotAnnounced) {
  seen_.is_at_hand = true;
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek(""));
  for (int i = 0; i < kCount / 2; ++i) {
    ASSERT_TRUE(cursor.value());
    ASSERT_TRUE(cursor.next());
  }
  EXPECT_EQ(seen_.reads, kCount / 2);
  EXPECT_EQ(seen_.ends.size(), 0U);
  seen_.is_at_hand = false;
  while (cursor.is_at_key()) {
    const auto value = cursor.value();
    ASSERT_TRUE(value);
    ASSERT_EQ(value.value(), std::string(8192, 'v'));
    ASSERT_TRUE(cursor.next());
  }
  EXPECT_EQ(seen_.reads, kCount);
  EXPECT_GE(seen_.announced_reads, kCount / 2 * 9 / 10);
}

// The same limit holds when earlier reads were short.
TEST_F(CursorValueAhead, AMegabyteIsAnnouncedAtMost) {
  for (int i = 100; i < 160; i += 3) put(i, std::string(std::size_t{400} << 10, 'l'));
  ASSERT_TRUE(store_->checkpoint());
  seen_ = {};
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek(""));
  std::uint64_t read_bytes = 0;
  while (cursor.is_at_key()) {
    const auto value = cursor.value();
    ASSERT_TRUE(value);
    read_bytes += value.value().size();
    EXPECT_LE(seen_.bytes, read_bytes + (1U << 20)) << cursor.key();
    ASSERT_TRUE(cursor.next());
  }
  EXPECT_GE(seen_.bytes, read_bytes * 9 / 10);
}

// The cursor has announced a few values at most when it turns.
TEST_F(CursorValueAhead, WhoGoesToAndFroAnnouncesWhatItPasses) {
  auto cursor = store_->cursor();
  ASSERT_TRUE(cursor.seek(numbered_key(kCount / 2)));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(cursor.value());
    ASSERT_TRUE(cursor.next());
    ASSERT_TRUE(cursor.value());
    ASSERT_TRUE(cursor.previous());
  }
  EXPECT_LE(seen_.ends.size(), 4U);
}

// Large values again, with the blocks of the tree watched.
class LargeValueLookups : public CursorValueAhead {
 protected:
  LargeValueLookups() {
    options_.cache_bytes = std::size_t{1} << 20;
    store_.reset();
    store_ = open_store(watching_blocks_, options_);
    blocks_ = {};
  }
  ~LargeValueLookups() override { store_.reset(); }

  Announcements blocks_;
  WatchingEnv watching_blocks_{*memory_, "/blocks", blocks_};
};

// References to large values are short, so other lookups soon need the same leaf.
TEST_F(LargeValueLookups, AnnounceOnceWhatTheirLeafHas) {
  for (int i = 0; i < kCount; ++i) {
    const auto found = store_->get(numbered_key(i * 37 % kCount));
    ASSERT_TRUE(found);
    ASSERT_TRUE(found.value());
  }
  EXPECT_GT(blocks_.reads, 20);
  EXPECT_GE(blocks_.announced_reads, blocks_.reads * 2 / 3);
  EXPECT_LE(blocks_.bytes, size_bytes("blocks"));
}

TEST_F(LargeValueLookups, OfWhatIsNotThereAnnounceNothing) {
  for (int i = 0; i < kCount; ++i) ASSERT_TRUE(store_->get(numbered_key(i) + "x"));
  EXPECT_LE(blocks_.ends.size(), 1U);  // the filters let few keys through
}

}  // namespace
}  // namespace dgfs::test
