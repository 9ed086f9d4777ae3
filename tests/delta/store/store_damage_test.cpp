// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damage to the files of a store: the store gives the right answer or an error, never a wrong
// answer.
#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

using Values = std::map<std::string, std::string>;

Buffer content_of(storage::Env& env, const std::string& path) {
  const auto file = env.open(path).value();
  Buffer content(static_cast<std::size_t>(file->size().value()));
  EXPECT_TRUE(storage::read_exactly(*file, 0, content));
  return content;
}

void overwrite(storage::Env& env, const std::string& path, Bytes content) {
  const auto file = env.open(path, {storage::OpenOptions::Mode::kReadWrite}).value();
  ASSERT_TRUE(file->truncate(0));
  ASSERT_TRUE(file->write_at(0, content));
}

// A store with groups that the tree lacks, and its values after each batch.
class StoreDamage : public testing::Test {
 protected:
  StoreDamage() {
    Random random(5);
    options_ = tiny_options(random);
    BatchShape shape;
    shape.keys = 100;
    auto store = open_store(*env_, options_);
    StoreModel model;
    for (int i = 0; i < 200; ++i) {
      const auto batch = random_batch(random, shape);
      EXPECT_TRUE(store->apply(batch));
      model.apply(batch);
      states_.push_back(model.values());
      if (i % 9 == 0) {
        EXPECT_TRUE(store->sync());
      }
      if (i == 150) {
        EXPECT_TRUE(store->checkpoint());
      }
    }
    EXPECT_TRUE(store->sync());
    for (const char* name : {"store", "blocks", "extents", "log.0", "log.1"}) {
      files_[name] = content_of(*env_, std::string("/s/") + name);
    }
  }

  // Returns whether the store could be opened.
  bool expect_truth(const std::string& what) {
    auto opened = Store::open(*env_, "/s", options_);
    if (!opened) {
      EXPECT_NE(opened.error().message().find("/s/"), std::string::npos)
          << what << ": " << opened.error().message();
      return false;
    }
    const auto store = std::move(opened).value();
    Values values;
    auto cursor = store->cursor();
    auto moved = cursor.seek("");
    while (moved && cursor.is_at_key()) {
      const auto value = cursor.value();
      if (!value) {
        moved = value.error();
        break;
      }
      values[std::string(cursor.key())] = value.value();
      moved = cursor.next();
    }
    if (!moved) {
      const auto message = moved.error().message();
      EXPECT_TRUE(message.find("/s/blocks: blocks, offset") != std::string::npos ||
                  message.find("/s/extents: extents, offset") != std::string::npos)
          << what << ": " << message;
      return true;
    }
    // Recovery may take the last group for one that was cut short; then some of the last batches
    // are lost.
    const auto state = std::find(states_.rbegin(), states_.rend(), values);
    EXPECT_TRUE(state != states_.rend()) << what;
    return true;
  }
  void restore() {
    for (const auto& [name, content] : files_) overwrite(*env_, "/s/" + name, content);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_;
  std::vector<Values> states_;
  std::map<std::string, Buffer> files_;
};

TEST_F(StoreDamage, AFlippedBitIsFoundOrDoesNoHarm) {
  for (const auto& [name, content] : files_) {
    int refused = 0;
    for (std::size_t at = 0; at < content.size(); at += name == "blocks" ? 3U : 7U) {
      auto damaged = content;
      damaged[at] ^= static_cast<std::uint8_t>(std::uint64_t{1} << at % 8);
      restore();
      overwrite(*env_, "/s/" + name, damaged);
      const auto what = name + " at " + std::to_string(at);
      if (!expect_truth(what)) ++refused;
      if (HasFailure()) return;
    }
    if (name == "blocks") {
      EXPECT_GT(refused, 0);
    }
  }
}

TEST_F(StoreDamage, ACutFileIsFoundOut) {
  for (const auto& [name, content] : files_) {
    for (std::size_t length = 0; length < content.size(); length += 509) {
      restore();
      overwrite(*env_, "/s/" + name, Bytes(content).first(length));
      static_cast<void>(expect_truth(name + " cut to " + std::to_string(length)));
      if (HasFailure()) return;
    }
  }
}

// A write was lost or went elsewhere: the place holds a whole block, but another one.
TEST_F(StoreDamage, AStaleBlockIsFoundOut) {
  const auto& blocks = files_["blocks"];
  for (std::size_t at = 0; at + 1024 <= blocks.size(); at += 512) {
    auto damaged = blocks;
    std::copy_n(blocks.begin() + static_cast<std::ptrdiff_t>(at), 512,
                damaged.begin() + static_cast<std::ptrdiff_t>((at + 512) % blocks.size()));
    restore();
    overwrite(*env_, "/s/blocks", damaged);
    static_cast<void>(expect_truth("block at " + std::to_string(at) + " over the next"));
    if (HasFailure()) return;
  }
}

TEST_F(StoreDamage, FilesOfAnotherStoreAreRefused) {
  const auto other = storage::make_memory_env(2);
  {
    auto store = open_store(*other, options_);
    Batch batch;
    batch.put("foreign", "value");
    ASSERT_TRUE(store->apply(batch));
    ASSERT_TRUE(store->sync());
  }
  for (const char* name : {"log.0", "log.1"}) {
    restore();
    overwrite(*env_, std::string("/s/") + name, content_of(*other, std::string("/s/") + name));
    static_cast<void>(expect_truth(name));
  }
  restore();
  overwrite(*env_, "/s/blocks", content_of(*other, "/s/blocks"));
  EXPECT_FALSE(expect_truth("blocks"));
}

}  // namespace
}  // namespace dgfs::test
