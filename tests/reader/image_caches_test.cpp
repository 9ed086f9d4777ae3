// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images that share caches. Images of one layout have pages and contents at the same places, so a
// cache that knew values only by their places would mix them up.
#include "reader/image_caches.h"

#include <gtest/gtest.h>

#include "reader/opened_caches.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr std::uint32_t kTreeFiles = 400;
constexpr std::size_t kPlentyBytes = std::size_t{64} << 20;
constexpr std::size_t kScarceBytes = 300'000;

/// Trees of different letters have the same layout.
std::string name_in(char letter, std::uint32_t i) {
  return std::to_string(1000 + i) + std::string(200, letter);
}
std::size_t size_in(std::uint32_t i) { return i % 50 == 0 ? 300'000 : i % 300; }
Buffer content_in(char letter, std::uint32_t i) {
  return pattern(size_in(i), i * 256 + static_cast<unsigned char>(letter));
}

/// The begin of the only data of a sparse file.
std::uint64_t data_begin(char letter) { return letter == 'a' ? 8192 : 16384; }

void make_sparse(PackedTree& tree, char letter) {
  const auto file = value_of(tree.parent("sparse")->create_file("sparse", 0644));
  expect_ok(file->write_at(data_begin(letter), pattern(4096, 1)));
  expect_ok(file->truncate(100'000));
}

void pack_tree(PackedTree& tree, char letter) {
  make_sparse(tree, letter);
  for (std::uint32_t i = 0; i < kTreeFiles; ++i)
    tree.file(name_in(letter, i), content_in(letter, i));
  builder::BuildOptions options;
  options.token_entries_min = 1;  // pages that the reader decodes once they are read often
  tree.pack(options);
}

std::unique_ptr<const reader::Image> open_sharing(
    PackedTree& tree, const std::shared_ptr<reader::ImageCaches>& caches) {
  reader::OpenOptions options;
  options.page_cache_bytes = options.frame_cache_bytes = 0;  // the image's own caches are not used
  options.caches = caches;
  return tree.open(options);
}

/// Reads from the middle of a frame, so that the frame is cached.
void expect_file(const reader::Image& image, char letter, std::uint32_t i) {
  const auto node = value_of(image.lookup(name_in(letter, i)));
  const auto expected = content_in(letter, i);
  ASSERT_EQ(node.size_bytes, expected.size());
  const auto at = expected.size() / 3;
  Buffer out(std::min<std::size_t>(expected.size() - at, 1000));
  ASSERT_EQ(value_of(image.read(node, at, out)), out.size());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin() + static_cast<long>(at)))
      << letter << i;
}

void expect_sparse(const reader::Image& image, char letter) {
  const auto node = value_of(image.lookup("sparse"));
  EXPECT_EQ(value_of(image.next_data(node, 0)), data_begin(letter));
}

void expect_all(const reader::Image& image, char letter) {
  expect_sparse(image, letter);
  for (std::uint32_t i = 0; i < kTreeFiles; ++i) expect_file(image, letter, i);
}

class ImageCaches : public testing::Test {
 protected:
  ImageCaches() {
    pack_tree(tree_a_, 'a');
    pack_tree(tree_b_, 'b');
  }

  PackedTree tree_a_;
  PackedTree tree_b_;
};

TEST_F(ImageCaches, ImagesThatAlternateMixNothing) {
  const auto caches = reader::make_image_caches(kPlentyBytes, kPlentyBytes);
  const auto a = open_sharing(tree_a_, caches);
  const auto b = open_sharing(tree_b_, caches);
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < kTreeFiles; ++i) {
      expect_file(*a, 'a', i);
      expect_file(*b, 'b', i);
    }
    expect_sparse(*a, 'a');
    expect_sparse(*b, 'b');
  }
  EXPECT_GT(a->counters().pages.hits, 2 * kTreeFiles);
  EXPECT_GT(a->counters().frames.hits, 0U);
}

TEST_F(ImageCaches, HaveOneBudgetForAll) {
  const auto caches = reader::make_image_caches(kScarceBytes, kScarceBytes);
  const auto a = open_sharing(tree_a_, caches);
  const auto b = open_sharing(tree_b_, caches);
  for (std::uint32_t i = 0; i < kTreeFiles; ++i) {
    expect_file(*a, 'a', i * 7 % kTreeFiles);
    expect_file(*b, 'b', i * 7 % kTreeFiles);
    const auto counters = a->counters();
    ASSERT_LE(counters.pages.bytes, kScarceBytes);
    ASSERT_LE(counters.frames.bytes, 2 * kScarceBytes);
    ASSERT_EQ(counters.pages.bytes, b->counters().pages.bytes);
  }
  EXPECT_EQ(a->counters().pages.bytes_max, kScarceBytes);
  EXPECT_GT(a->counters().pages.bytes, kScarceBytes / 2);
  EXPECT_GT(a->counters().frames.evictions, 0U);
}

TEST_F(ImageCaches, AClosedImageGivesBackItsPartAndNoMore) {
  const auto caches = reader::make_image_caches(kPlentyBytes, kPlentyBytes);
  const auto b = open_sharing(tree_b_, caches);
  expect_all(*b, 'b');
  const auto before = b->counters();
  auto a = open_sharing(tree_a_, caches);
  expect_all(*a, 'a');
  ASSERT_GT(b->counters().pages.bytes, before.pages.bytes);
  ASSERT_GT(b->counters().frames.bytes, before.frames.bytes);
  a.reset();
  EXPECT_EQ(b->counters().pages.bytes, before.pages.bytes);
  EXPECT_EQ(b->counters().frames.bytes, before.frames.bytes);
  EXPECT_EQ(b->counters().pages.evictions, 0U);
  expect_all(*b, 'b');
  EXPECT_EQ(b->counters().index_reads, before.index_reads) << "all pages of b are still cached";
}

TEST_F(ImageCaches, OutliveTheirImages) {
  const auto caches = reader::make_image_caches(kPlentyBytes, kPlentyBytes);
  for (int round = 0; round < 3; ++round) {
    expect_all(*open_sharing(tree_a_, caches), 'a');
    expect_all(*open_sharing(tree_b_, caches), 'b');
    EXPECT_EQ(caches->pages.values.counters().bytes, 0U);
    EXPECT_EQ(caches->frames.counters().bytes, 0U);
    EXPECT_EQ(caches->maps.counters().bytes, 0U);
  }
}

TEST_F(ImageCaches, CountDecodedPagesOfAll) {
  const auto caches = reader::make_image_caches(kPlentyBytes, kPlentyBytes);
  const auto decoded_bytes = [&] { return caches->pages.totals->decoded_bytes.load(); };
  const auto ask_often = [](const reader::Image& image, char letter) {
    for (int i = 0; i < 40; ++i) expect_file(image, letter, 0);
  };
  auto a = open_sharing(tree_a_, caches);
  ask_often(*a, 'a');
  const auto of_a = decoded_bytes();
  EXPECT_GT(of_a, 0U);
  const auto b = open_sharing(tree_b_, caches);
  ask_often(*b, 'b');
  const auto of_both = decoded_bytes();
  EXPECT_GT(of_both, of_a);
  a.reset();
  EXPECT_EQ(decoded_bytes(), of_both - of_a);
  expect_file(*b, 'b', 0);
}

// A page in a caller's hands may outlive its image and the caches.
TEST_F(ImageCaches, AreNotNeededByTheirValues) {
  auto caches = reader::make_image_caches(kPlentyBytes, kPlentyBytes);
  const auto totals = caches->pages.totals;
  auto image = open_sharing(tree_a_, caches);
  for (int i = 0; i < 40; ++i) expect_file(*image, 'a', 0);
  std::vector<std::shared_ptr<const reader::CachedPage>> pages;
  for (std::uint64_t number = 0; number < 10; ++number) {
    if (auto page = caches->pages.values.find(number)) pages.push_back(std::move(page));
  }
  ASSERT_FALSE(pages.empty());
  image.reset();
  caches.reset();
  EXPECT_GT(totals->decoded_bytes, 0U);
  pages.clear();
  EXPECT_EQ(totals->decoded_bytes, 0U);
}

// As in a merge: the old image is still read while the new one has its name.
TEST_F(ImageCaches, AnImageThatTookThePlaceOfAnotherHasItsOwnPages) {
  const auto caches = reader::make_image_caches(kPlentyBytes, kPlentyBytes);
  auto before = open_sharing(tree_a_, caches);
  expect_all(*before, 'a');
  for (const auto& path : {kImage, kIndex}) {
    const auto bytes = read_file(tree_b_.memory(), path);
    expect_ok(tree_a_.memory().remove(path));
    write_file(tree_a_.memory(), path, bytes);
  }
  auto after = open_sharing(tree_a_, caches);
  expect_all(*after, 'b');
  expect_all(*before, 'a');
  before.reset();
  expect_all(*after, 'b');
  after.reset();
  expect_all(*open_sharing(tree_a_, caches), 'b');
}

TEST_F(ImageCaches, WithoutMemoryAreNoCaches) {
  const auto caches = reader::make_image_caches(0, 0);
  const auto a = open_sharing(tree_a_, caches);
  const auto b = open_sharing(tree_b_, caches);
  expect_all(*a, 'a');
  expect_all(*b, 'b');
  EXPECT_EQ(a->counters().pages.bytes, 0U);
  EXPECT_EQ(a->counters().frames.bytes, 0U);
}

TEST(CacheNumbers, AreNobodyElses) {
  reader::ImageCaches caches(0, 0);
  const auto first = caches.reserve(10);
  const auto empty = caches.reserve(0);
  const auto last = caches.reserve(3);
  EXPECT_TRUE(first.has(0));
  EXPECT_TRUE(first.has(9));
  EXPECT_FALSE(first.has(empty.first));
  EXPECT_TRUE(empty.has(empty.first)) << "an image without pages may have contents";
  EXPECT_FALSE(empty.has(last.first));
  EXPECT_FALSE(last.has(empty.first));
  EXPECT_FALSE(reader::CacheNumbers().has(0));
}

}  // namespace
}  // namespace dgfs::test
