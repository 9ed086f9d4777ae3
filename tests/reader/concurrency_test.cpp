// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Many threads on one image, with caches too small to hold it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

constexpr std::uint32_t kFiles = 1500;
constexpr unsigned kAskingThreads = 8;

std::string path_of(std::uint32_t i) {
  return "d" + std::to_string(i % 7) + "/file-" + std::to_string(i * 2654435761U);
}
std::size_t size_of(std::uint32_t i) { return i % 100 == 0 ? 200'000 : i % 300; }

void make_tree(PackedTree& tree) {
  for (std::uint32_t i = 0; i < 7; ++i) tree.directory("d" + std::to_string(i));
  for (std::uint32_t i = 0; i < kFiles; ++i) tree.file(path_of(i), pattern(size_of(i), i));
  builder::BuildOptions options;
  options.token_entries_min = 1;  // pages that one thread decodes while others read them
  tree.pack(options);
}

TEST(ReaderConcurrency, EveryThreadGetsTheSameAnswers) {
  PackedTree tree;
  make_tree(tree);
  reader::OpenOptions options;
  options.page_cache_bytes = 200'000;
  options.frame_cache_bytes = 200'000;
  const auto image = tree.open(options);
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned thread) {
    for (std::uint32_t n = 0; n < 600; ++n) {
      const auto i = (n * 7919 + thread * 131) % kFiles;
      const auto node = image->lookup(path_of(i));
      if (!node || node.value().size_bytes != size_of(i)) {
        ++wrong;
        continue;
      }
      Buffer out(1000);
      const auto at = size_of(i) > 1000 ? (n * 313) % (size_of(i) - 1000) : 0;
      const auto count = image->read(node.value(), at, out);
      const auto expected = pattern(size_of(i), i);
      if (!count || !std::equal(out.begin(), out.begin() + static_cast<long>(count.value()),
                                expected.begin() + static_cast<long>(at))) {
        ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kAskingThreads; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const auto counters = image->counters();
  EXPECT_EQ(counters.errors, 0U);
  EXPECT_EQ(counters.pages.hits + counters.pages.misses, kAskingThreads * 600U);
  EXPECT_EQ(counters.index_reads, counters.pages.misses);
  EXPECT_LE(counters.pages.bytes, options.page_cache_bytes);
  EXPECT_LE(counters.frames.bytes, 2 * options.frame_cache_bytes);
}

TEST(ReaderConcurrency, APageThatManyWantIsReadOnce) {
  PackedTree tree;
  make_tree(tree);
  const auto image = tree.open();
  tree.counting().reset();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kAskingThreads; ++t) {
    threads.emplace_back([&] { EXPECT_TRUE(image->lookup(path_of(1))); });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(tree.index_counts().reads, 1U);
}

// The first thread looks for it; threads that come meanwhile wait, and then have it.
TEST(ReaderConcurrency, AVolumeIsLookedForOnce) {
  PackedTree tree;
  tree.file("f", pattern(200'000, 1));
  tree.pack();
  std::atomic<int> asking = 0;
  std::atomic<int> opened = 0;
  HookEnv env(tree.memory(), [&](storage::CallKind kind, const std::string& path) {
    if (kind != storage::CallKind::kOpen || path != kImage) return ok();
    ++opened;
    for (int wait = 0; asking < 2 && wait < 5000; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    // Gives the other thread time to get there. If it does not, the test sees nothing.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return ok();
  });
  const auto image = value_of(reader::Image::open(env, kIndex));
  const auto node = value_of(image->lookup("f"));
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&] {
      ++asking;
      if (value_of(contents(*image, node)) == pattern(200'000, 1)) ++right;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 2);
  EXPECT_EQ(opened, 1);
}

}  // namespace
}  // namespace dgfs::test
