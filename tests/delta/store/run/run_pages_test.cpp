// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run_pages.h"

#include <gtest/gtest.h>

#include "delta/store/run/memtable.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_parts.h"
#include "format/checksum.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/run/random_run.h"

namespace dgfs::test {
namespace {

using namespace delta;

RunRef random_run(Random& random, bool has_ranges) {
  BatchShape shape;
  shape.keys = 2000;
  shape.has_ranges = has_ranges;
  Memtable table;
  for (auto left = random.below(400); left > 0; --left) table.apply(random_batch(random, shape));
  return table.freeze();
}

/// Makes a run of one of four sorts.
RunRef random_run(Random& random, int sort) {
  if (sort < 2) return random_run(random, sort == 0);
  const auto points = sort == 2 ? 0 : random.below(600);
  return random_run_of_tombstones(random, points, random.below(600));
}

Bytes page_of(const Buffer& stored, const RunPages::Page& page) {
  return Bytes(stored).subspan(static_cast<std::size_t>(page.offset_bytes),
                               static_cast<std::size_t>(page.length_bytes));
}

TEST(RunPages, SayAloneWhatTheRunSaysOfTheirKeys) {
  Random random(1);
  std::size_t paged = 0;
  for (int round = 0; round < 300; ++round) {
    const auto run = random_run(random, round % 4);
    BlockPacker packer(round % 2);
    Buffer stored;
    const auto pages = pack_run(*run, 64 + random.below(2000), packer, stored).value();
    const auto whole = Run::unpack(stored, run->size_bytes());
    ASSERT_TRUE(whole) << whole.error().message();
    ASSERT_EQ(*whole.value(), *run);
    if (!run->empty()) {
      EXPECT_FALSE(Run::unpack(stored, run->size_bytes() - 1));
    }
    if (!pages.empty()) ++paged;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const auto bytes = page_of(stored, pages[i]);
      EXPECT_EQ(format::checksum64(bytes), pages[i].checksum);
      const auto page = unpack_page(bytes, run->size_bytes());
      ASSERT_TRUE(page) << page.error().message();
      EXPECT_EQ(*page.value(), *clipped(run, pages.range(i)));
      EXPECT_EQ(page.value()->tombstones().empty(), !pages[i].has_tombstones);
      for (const Point point : page.value()->points()) EXPECT_EQ(pages.find(point.key), i);
      EXPECT_EQ(pages.find_before(pages.range(i).end), i);
      EXPECT_FALSE(page.value()->empty());
    }
  }
  EXPECT_GT(paged, 150U);
}

// Holds whether the bytes of a run are in points or in range tombstones.
TEST(RunPages, AreAboutAsLongAsTheyShallBe) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const auto run = random_run(random, round % 4);
    const std::size_t page_bytes = 200 + random.below(2000);
    const auto longest = longest_message_bytes(*run);
    BlockPacker packer(0);
    Buffer stored;
    const auto pages = pack_run(*run, page_bytes, packer, stored).value();
    EXPECT_GE(pages.size() + 1, run->size_bytes() / (2 * page_bytes + longest));
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const auto page = unpack_page(page_of(stored, pages[i]), run->size_bytes()).value();
      EXPECT_LE(page->size_bytes(), page_bytes * 3 / 2 + 2 * longest);
    }
  }
}

// The part of a run that its node holds is short, also where keys are long and alike: pages are
// longer then, or there are none.
TEST(RunPages, BeginWithKeysThatTakeLittleOfTheNode) {
  for (const std::size_t key_bytes : {10U, 100U, 500U, 2000U, 4000U}) {
    RunBuilder points;
    for (int i = 0; i < 400; ++i) {
      points.add(std::string(key_bytes, 'k') + std::to_string(1000 + i),
                 Message::put(std::string(20, 'v')));
    }
    const auto run = points.take({});
    BlockPacker packer(0);
    Buffer stored;
    const auto pages = pack_run(*run, 4096, packer, stored).value();
    std::size_t low_bytes = 0;
    for (std::size_t i = 0; i < pages.size(); ++i) low_bytes += pages[i].low.size();
    EXPECT_LE(low_bytes, run->size_bytes() / 16);
    if (key_bytes <= 100) {
      EXPECT_GE(pages.size(), run->size_bytes() / 4096 / 2);
    }
  }
}

// A range tombstone that ends where a page ends is in that page alone. If it were in two, it would
// be read twice, and lookups would search the other page in vain.
TEST(RunPages, DoNotEndWithinTombstonesThatLieBetweenThem) {
  RangeTombstones tombstones;
  for (int i = 0; i < 1000; ++i) {
    const auto begin = "key" + std::to_string(10000 + i);
    tombstones.add({begin + "begin", begin + "end"});
  }
  const auto count = tombstones.size();
  const auto run = RunBuilder().take(std::move(tombstones));
  BlockPacker packer(0);
  Buffer stored;
  const auto pages = pack_run(*run, 1000, packer, stored).value();
  ASSERT_GT(pages.size(), 50U);
  std::size_t in_pages = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    in_pages +=
        unpack_page(page_of(stored, pages[i]), run->size_bytes()).value()->tombstones().size();
    EXPECT_LE(pages[i].low.size(), 8U);
  }
  EXPECT_EQ(in_pages, count);
}

TEST(RunPages, AreReadFromANodeAsTheyWereWritten) {
  Random random(2);
  const auto run = random_run(random, true);
  BlockPacker packer(0);
  Buffer stored;
  const auto pages = pack_run(*run, 128, packer, stored).value();
  ASSERT_GT(pages.size(), 4U);
  Buffer bytes;
  format::Encoder out(bytes);
  pages.encode(out);
  format::Decoder in(bytes);
  const auto again = RunPages::decode(in, stored.size());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(in.at_end());
  ASSERT_EQ(again.value().size(), pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(again.value().range(i), pages.range(i));
    EXPECT_EQ(page_of(stored, again.value()[i]).data(), page_of(stored, pages[i]).data());
    EXPECT_EQ(again.value()[i].checksum, pages[i].checksum);
    EXPECT_EQ(again.value()[i].has_tombstones, pages[i].has_tombstones);
  }
  // A shorter block cannot have so many pages.
  format::Decoder shorter(bytes);
  EXPECT_FALSE(RunPages::decode(shorter, stored.size() - 1));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    format::Decoder cut(Bytes(bytes).first(length));
    EXPECT_FALSE(RunPages::decode(cut, stored.size())) << length;
  }
}

TEST(RunPages, OneOrOutOfOrderIsRefused) {
  const auto refused = [](std::vector<RunPages::Page> pages) {
    Buffer bytes;
    format::Encoder out(bytes);
    RunPages(std::move(pages)).encode(out);
    format::Decoder in(bytes);
    const auto decoded = RunPages::decode(in, 1000);
    return !decoded && decoded.error().kind() == ErrorKind::kCorrupt;
  };
  EXPECT_TRUE(refused({{"", 5, 10, 1}}));
  EXPECT_TRUE(refused({{"", 5, 10, 1}, {"", 15, 10, 1}}));
  EXPECT_TRUE(refused({{"", 5, 10, 1}, {"b", 15, 10, 1}, {"b", 25, 10, 1}}));
  EXPECT_TRUE(refused({{"", 5, 10, 1}, {"b", 15, 1000, 1}}));
  EXPECT_FALSE(refused({{"", 5, 10, 1}, {"b", 15, 10, 1}, {"c", 25, 10, 1}}));
}

// Makes a block of these pages, valid or not.
Buffer block_of(const std::vector<Buffer>& pages) {
  Buffer stored;
  format::Encoder out(stored);
  out.fixed(std::uint8_t{2});
  out.varint(pages.size());
  for (const auto& page : pages) out.varint(page.size());
  for (const auto& page : pages) out.raw(page);
  return stored;
}

Buffer page_with(const std::string& key, std::size_t value_bytes, int level) {
  Batch batch;
  batch.put(key, std::string(value_bytes, 'v'));
  Memtable table;
  table.apply(batch);
  Buffer bytes;
  table.freeze()->encode(bytes);
  BlockPacker packer(level);
  const auto stored = packer.pack(bytes).value();
  return {stored.begin(), stored.end()};
}

// Each page alone is a valid run, so the order between pages must be checked where they come
// together.
TEST(RunPages, KeysOutOfOrderBetweenPagesAreRefused) {
  const auto block = [](const std::vector<std::string>& keys) {
    std::vector<Buffer> pages;
    for (const auto& key : keys) pages.push_back(page_with(key, 1, 0));
    return block_of(pages);
  };
  const auto run = Run::unpack(block({"a", "b", "c"}), SIZE_MAX);
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run.value()->size(), 3U);
  EXPECT_FALSE(Run::unpack(block({"a", "c", "b"}), SIZE_MAX));
  EXPECT_FALSE(Run::unpack(block({"a", "a"}), SIZE_MAX));
  auto longer = block({"a", "b"});
  longer.push_back(0);
  EXPECT_FALSE(Run::unpack(longer, SIZE_MAX));
}

// One page may be as long as a block, but not all together: a block of some kilobytes could ask for
// gigabytes.
TEST(RunPages, CompressedPagesAreTogetherNoLongerThanABlock) {
  constexpr std::size_t kWholeValueBytes = std::size_t{5} << 20;
  std::vector<Buffer> pages;
  for (const char* key : {"a", "b", "c"}) pages.push_back(page_with(key, kWholeValueBytes, 1));
  ASSERT_TRUE(Run::unpack(block_of(pages), SIZE_MAX));
  pages.push_back(page_with("d", kWholeValueBytes, 1));
  ASSERT_LT(block_of(pages).size(), 10000U);
  const auto refused = Run::unpack(block_of(pages), SIZE_MAX);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
}

// A longer run is therefore not compressed to its end.
TEST(RunPages, ARunLongerThanABlockComesBack) {
  RunBuilder points;
  for (int i = 0; i < 10000; ++i) {
    points.add_put("key" + std::to_string(10000 + i), std::string(2000, 'v'));
  }
  const auto run = points.take();
  ASSERT_GT(run->size_bytes(), kCompressedBlockBytesMax);
  BlockPacker packer(1);
  Buffer stored;
  const auto pages = pack_run(*run, 4096, packer, stored).value();
  const auto again = Run::unpack(stored, run->size_bytes());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again.value(), *run);
  const auto page = unpack_page(page_of(stored, pages[pages.size() - 1]), run->size_bytes());
  ASSERT_TRUE(page);
  EXPECT_EQ(page.value()->point(page.value()->size() - 1).key, "key19999");
}

}  // namespace
}  // namespace dgfs::test
