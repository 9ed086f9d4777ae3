// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images that share caches too small for them, opened, read and closed by many threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "reader/opened_caches.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

constexpr std::uint32_t kSharedFiles = 300;
constexpr std::size_t kSharedBytes = 150'000;
constexpr unsigned kThreads = 6;

std::string shared_name(std::uint32_t tree, std::uint32_t i) {
  return std::to_string(1000 + i) + std::string(100, static_cast<char>('a' + tree));
}
Buffer shared_content(std::uint32_t tree, std::uint32_t i) {
  return pattern(i % 30 == 0 ? 200'000 : 50 + i % 100, 2 * i + tree);
}

void make_shared_tree(PackedTree& packed, std::uint32_t tree) {
  for (std::uint32_t i = 0; i < kSharedFiles; ++i) {
    packed.file(shared_name(tree, i), shared_content(tree, i));
  }
  builder::BuildOptions options;
  options.token_entries_min = 1;  // pages that one thread decodes while others read them
  packed.pack(options);
}

bool is_right(const reader::Image& image, std::uint32_t tree, std::uint32_t i) {
  const auto node = image.lookup(shared_name(tree, i));
  if (!node) return false;
  Buffer out(40);
  const auto count = image.read(node.value(), 10, out);
  const auto expected = shared_content(tree, i);
  return count && count.value() == out.size() &&
         std::equal(out.begin(), out.end(), expected.begin() + 10);
}

TEST(ImageCachesThreads, ImagesComeAndGoWhileOthersAreRead) {
  PackedTree trees[2];
  for (std::uint32_t tree = 0; tree < 2; ++tree) make_shared_tree(trees[tree], tree);
  const auto caches = reader::make_image_caches(kSharedBytes, kSharedBytes);
  reader::OpenOptions options;
  options.caches = caches;
  auto lasting = trees[0].open(options);
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned thread) {
    for (std::uint32_t round = 0; round < 8; ++round) {
      const auto tree = (thread + round) % 2;
      const auto passing = trees[tree].open(options);
      for (std::uint32_t n = 0; n < 60; ++n) {
        const auto i = (n * 7919 + thread * 131 + round) % kSharedFiles;
        if (!is_right(*passing, tree, n < 40 ? 0 : i)) ++wrong;  // often the first file
        if (!is_right(*lasting, 0, i)) ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(lasting->counters().pages.bytes, kSharedBytes);
  lasting.reset();
  EXPECT_EQ(caches->pages.values.counters().bytes, 0U);
  EXPECT_EQ(caches->frames.counters().bytes + caches->maps.counters().bytes, 0U);
  EXPECT_EQ(caches->pages.totals->decoded_bytes, 0U);
}

}  // namespace
}  // namespace dgfs::test
