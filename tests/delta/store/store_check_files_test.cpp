// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The findings of the check of a store about its files: superblocks, log, and any damaged bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "delta/store/store_check.h"
#include "delta/store/tree/tree_blocks.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;
using Mode = storage::OpenOptions::Mode;

constexpr const char* kNames[] = {"/s/store", "/s/blocks", "/s/extents", "/s/log.0", "/s/log.1"};

class StoreCheckFiles : public testing::Test {
 protected:
  StoreCheckFiles() {
    Random random(11);
    options_.create = true;
    options_.parameters = {512, 1024, 4, 1 << 16, 12};
    options_.table_bytes = 2048;
    BatchShape shape;
    shape.keys = 1000;
    auto store = open_store(*env_, options_);
    for (int i = 0; i < 300; ++i) {
      EXPECT_TRUE(store->apply(random_batch(random, shape)));
      if (i % 140 == 0) {
        EXPECT_TRUE(store->checkpoint());
      }
      if (i >= 280 && i % 5 == 0) {
        EXPECT_TRUE(store->sync());
      }
    }
    EXPECT_TRUE(store->sync());
    store.reset();
    for (const char* name : kNames) files_[name] = content_of(name);
  }

  Buffer content_of(const std::string& path) {
    const auto file = env_->open(path).value();
    Buffer content(static_cast<std::size_t>(file->size().value()));
    EXPECT_TRUE(storage::read_exactly(*file, 0, content));
    return content;
  }
  void set_content(const std::string& path, Bytes content) {
    const auto file = env_->open(path, {Mode::kReadWrite}).value();
    ASSERT_TRUE(file->truncate(content.size()));
    ASSERT_TRUE(file->write_at(0, content));
  }
  Result<StoreReport> check() {
    found_.clear();
    return check_store(*env_, "/s", {.locks = true, .damaged = [this](const Error& error) {
                                       found_.push_back(error.message());
                                     }});
  }
  void expect_found(const std::string& text) {
    const auto report = check();
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(found_, std::vector<std::string>{text});
  }
  void expect_error(ErrorKind kind, const std::string& text) {
    const auto report = check();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind(), kind);
    EXPECT_EQ(report.error().message(), text);
  }
  /// The slot of the newest checkpoint: 0 or 1.
  std::size_t newest_slot() {
    return static_cast<std::size_t>(check().value().superblock.checkpoint % 2);
  }
  /// A slot of the superblocks.
  static MutableBytes slot_of(Buffer& superblocks, std::size_t slot) {
    return MutableBytes(superblocks).subspan(slot * kSuperblockBytes, kSuperblockBytes);
  }
  static void put(const Buffer& bytes, MutableBytes to) {
    std::copy(bytes.begin(), bytes.end(), to.begin());
  }
  /// Which bytes of the file of blocks belong to a block, or which bytes of the extent volume
  /// belong to a value of the tree.
  std::vector<bool> used_bytes(SpaceKind wanted) {
    std::vector<bool> used(files_[wanted == SpaceKind::kBlock ? "/s/blocks" : "/s/extents"].size());
    const auto superblock = check().value().superblock;
    const auto root = superblock.root;
    const BlockFile file(env_->open("/s/blocks").value());
    BlockCache cache(0);
    const auto node = std::make_shared<const Stored<Node>>(root, 1);
    const BlockSource source{&file, &cache, nullptr};
    EXPECT_TRUE(each_extent(node, source, [&](SpaceKind kind, const Extent& extent) {
      if (kind != wanted) return Status(ok());
      const auto begin = used.begin() + static_cast<std::ptrdiff_t>(extent.offset_bytes);
      std::fill(begin, begin + static_cast<std::ptrdiff_t>(extent.length_bytes), true);
      return Status(ok());
    }));
    if (wanted == SpaceKind::kBlock) {
      for (const Place& map : {superblock.space.blocks, superblock.space.values}) {
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(map.offset_bytes), map.length_bytes,
                    true);
      }
    }
    return used;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_;
  std::map<std::string, Buffer> files_;
  std::vector<std::string> found_;
};

TEST_F(StoreCheckFiles, TellsWhatASoundStoreIs) {
  const auto report = check();
  ASSERT_TRUE(report);
  EXPECT_EQ(found_.size(), 0U);
  EXPECT_EQ(report.value().version, 6U);
  EXPECT_EQ(report.value().whole_superblocks, 2U);
  EXPECT_EQ(report.value().torn_superblocks, 0U);
  EXPECT_EQ(report.value().log_sequence, 300U);
  EXPECT_GE(report.value().log_groups, 4U);
  EXPECT_GE(report.value().log_used_bytes, 4 * 4096U);
  EXPECT_EQ(report.value().log_generation, report.value().superblock.log.generation);
  ASSERT_EQ(report.value().files.size(), 5U);
  for (const auto& file : report.value().files) {
    EXPECT_EQ(file.size_bytes, files_[file.path].size()) << file.path;
  }
  for (const char* name : kNames) EXPECT_EQ(content_of(name), files_[name]) << name;
}

// The check reports damage to a byte in use with its place, and reports nothing else.
TEST_F(StoreCheckFiles, FindsAFlippedBitOfAnyBlock) {
  const auto used = used_bytes(SpaceKind::kBlock);
  for (std::size_t at = 0; at < used.size(); at += 13) {
    auto damaged = files_["/s/blocks"];
    damaged[at] ^= static_cast<std::uint8_t>(1U << at % 8);
    set_content("/s/blocks", damaged);
    const auto report = check();
    ASSERT_TRUE(report) << at;
    ASSERT_EQ(!found_.empty(), used[at]) << at;
    for (const auto& text : found_) {
      ASSERT_TRUE(text.starts_with("/s/blocks: blocks, offset ")) << text;
    }
  }
}

TEST_F(StoreCheckFiles, FindsAFlippedBitOfAnyLargeValue) {
  const auto used = used_bytes(SpaceKind::kValue);
  ASSERT_TRUE(std::ranges::count(used, true) > 100);
  for (std::size_t at = 0; at < used.size(); at += 13) {
    auto damaged = files_["/s/extents"];
    damaged[at] ^= static_cast<std::uint8_t>(1U << at % 8);
    set_content("/s/extents", damaged);
    ASSERT_TRUE(check()) << at;
    // Other bytes may belong to values in the log.
    ASSERT_TRUE(!used[at] || found_.size() == 1) << at;
    for (const auto& text : found_) {
      ASSERT_TRUE(text.starts_with("/s/extents: extents, offset ")) << text;
    }
  }
}

TEST_F(StoreCheckFiles, AFlippedBitOfTheOtherFilesIsToldWhereItMatters) {
  int told = 0;
  for (const char* name : {"/s/store", "/s/log.0", "/s/log.1"}) {
    for (std::size_t at = 0; at < files_[name].size(); at += 31) {
      auto damaged = files_[name];
      damaged[at] ^= static_cast<std::uint8_t>(1U << at % 8);
      set_content(name, damaged);
      const auto report = check();
      ASSERT_TRUE(report) << name << at << report.error().message();
      if (std::string_view(name) == "/s/store") {
        ASSERT_EQ(report.value().torn_superblocks, 1U) << at;
      }
      told += found_.empty() ? 0 : 1;
      // Unreported damage may be in the last group, which then counts as one that was cut short.
      const auto opened = Store::open(*env_, "/s", options_);
      ASSERT_EQ(opened.has_value(), found_.empty()) << name << at;
      for (const char* each : kNames) set_content(each, files_[each]);
    }
  }
  EXPECT_GT(told, 20);
}

TEST_F(StoreCheckFiles, ACutFileIsToldAndNeverFatal) {
  for (const char* name : kNames) {
    for (std::size_t length = 0; length < files_[name].size(); length += 499) {
      set_content(name, Bytes(files_[name]).first(length));
      const auto report = check();
      const bool is_told = !report || !found_.empty() || report.value().torn_superblocks != 0;
      if (std::string_view(name) != "/s/blocks" && std::string_view(name) != "/s/extents") {
        ASSERT_TRUE(is_told) << name << length;
      }
    }
    set_content(name, files_[name]);
  }
}

TEST_F(StoreCheckFiles, OneSuperblockIsEnough) {
  auto superblocks = files_["/s/store"];
  const auto slot = newest_slot();
  slot_of(superblocks, 1 - slot)[100] ^= 1;
  set_content("/s/store", superblocks);
  const auto report = check();
  ASSERT_TRUE(report);
  EXPECT_EQ(found_.size(), 0U);
  EXPECT_EQ(report.value().whole_superblocks, 1U);
  EXPECT_EQ(report.value().torn_superblocks, 1U);
  slot_of(superblocks, slot)[100] ^= 1;
  set_content("/s/store", superblocks);
  expect_error(ErrorKind::kCorrupt,
               "/s/store: no superblock is whole: this is not a store, or it is damaged");
}

TEST_F(StoreCheckFiles, SuperblocksBelongTogether) {
  auto superblocks = files_["/s/store"];
  const auto slot = newest_slot();
  auto other = decode_superblock(slot_of(superblocks, 1 - slot)).value();
  const auto offset = std::to_string((1 - slot) * kSuperblockBytes);
  other.store[3] ^= 1;
  put(encode_superblock(other), slot_of(superblocks, 1 - slot));
  set_content("/s/store", superblocks);
  expect_found("/s/store: superblock, offset " + offset +
               ": a superblock is not from the previous checkpoint");
  other.store[3] ^= 1;
  other.checkpoint -= 2;
  put(encode_superblock(other), slot_of(superblocks, 1 - slot));
  set_content("/s/store", superblocks);
  expect_found("/s/store: superblock, offset " + offset +
               ": a superblock is not from the previous checkpoint");
  std::copy_n(slot_of(superblocks, slot).begin(), kSuperblockBytes,
              slot_of(superblocks, 1 - slot).begin());
  set_content("/s/store", superblocks);
  expect_found("/s/store: superblock, offset " + offset + ": a superblock is in the wrong place");
}

TEST_F(StoreCheckFiles, AnotherVersionIsNotDamage) {
  const auto newest = newest_slot();
  const auto set_version = [this, newest](std::uint32_t version) {
    auto superblocks = files_["/s/store"];
    const auto slot = slot_of(superblocks, newest);
    format::store(slot, 8, version);
    format::store(slot, kSuperblockBytes - 8,
                  format::checksum64(Bytes(slot).first(kSuperblockBytes - 8)));
    set_content("/s/store", superblocks);
  };
  set_version(7);
  expect_error(ErrorKind::kUnsupported, "/s/store: superblock: the store needs a newer program");
  set_version(1);
  expect_error(ErrorKind::kUnsupported,
               "/s/store: superblock: the store is of version 1, which this program no longer "
               "reads");
}

TEST_F(StoreCheckFiles, TheLogIsToldOfByItself) {
  set_content("/s/log.1", Bytes(files_["/s/log.1"]).first(5000));
  expect_found("/s/log.1: log, offset 5000: the segment has a wrong length");
  ASSERT_TRUE(env_->remove("/s/log.1"));
  const auto report = check();
  ASSERT_TRUE(report);
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_TRUE(found_[0].starts_with("/s/log.1: ")) << found_[0];
  EXPECT_GT(report.value().nodes, 1U);
}

TEST_F(StoreCheckFiles, WhatIsNoStoreIsSaidToBeNone) {
  const auto missing = check_store(*env_, "/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
  const auto file = check_store(*env_, "/s/store");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(), "/s/store: is not a directory");
  ASSERT_TRUE(env_->make_directory("/empty", 0755));
  const auto empty = check_store(*env_, "/empty");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message(), "/empty: no store is here: the file \"store\" is missing");
  set_content("/s/store", as_bytes("some text that somebody wrote"));
  expect_error(ErrorKind::kCorrupt,
               "/s/store: no superblock is whole: this is not a store, or it is damaged");
}

TEST_F(StoreCheckFiles, AStoreThatIsOpenIsInUse) {
  {
    const auto store = open_store(*env_, options_);
    expect_error(ErrorKind::kBusy, "/s: the store is in use by another process");
  }
  EXPECT_TRUE(check());
}

TEST_F(StoreCheckFiles, TellsHowFarItIsAndStopsWhenAsked) {
  std::uint64_t read_bytes = 0;
  std::uint64_t total_bytes = 0;
  StoreCheckOptions options;
  options.progress = [&](const CheckProgress& now) {
    EXPECT_GE(now.total_bytes, total_bytes);
    if (total_bytes != 0) {
      EXPECT_GT(now.read_bytes, read_bytes);
    }
    read_bytes = now.read_bytes;
    total_bytes = now.total_bytes;
  };
  ASSERT_TRUE(check_store(*env_, "/s", options));
  EXPECT_GT(total_bytes, 0U);
  EXPECT_EQ(read_bytes, total_bytes);
  const std::atomic<bool> stop = true;
  const auto stopped = check_store(*env_, "/s", {.stop = &stop});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace dgfs::test
