// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/page_store.h"

#include <random>

#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

/// Adds names; some twenty of them fill a page.
void make_many_pages(PackedTree& tree) {
  std::mt19937 random(1);
  for (int i = 0; i < 12'500; ++i) {
    std::string name = std::to_string(100'000 + i);
    while (name.size() < 250) name += static_cast<char>('0' + random() % 64);
    tree.file(name, "");
  }
  builder::BuildOptions options;
  options.token_entries_min = 1;
  tree.pack(options);
}

TEST(PageStore, DecodesWhatIsAskedForOftenBesideWhatIsRead) {
  PackedTree tree;
  make_many_pages(tree);
  std::shared_ptr<storage::File> file = value_of(tree.memory().open(kIndex));
  reader::CounterCells counters;
  const reader::IndexSource source(value_of(reader::IndexCopy::open(file, 0)), {}, {});
  const auto tables = value_of(reader::IndexTables::load(source, counters));
  const auto pages = tables.pages.size();
  ASSERT_GT(pages, 550U);
  reader::PageCache cache(std::size_t{64} << 20);
  const reader::PageStore store(source, tables, counters, cache);
  const auto is_decoded = [&](std::size_t page) {
    return value_of(store.get(page))->page->is_decoded();
  };
  for (int i = 0; i < 31; ++i) EXPECT_FALSE(is_decoded(0)) << i;
  EXPECT_TRUE(is_decoded(0)) << "a page is decoded at its 32nd read in a row";
  // In each round the first page waits while all others are read, before its next read.
  for (int round = 0; round < 32; ++round) {
    EXPECT_FALSE(is_decoded(1)) << round;
    for (std::size_t page = 2; page < pages; ++page) ASSERT_TRUE(store.get(page));
  }
  for (int i = 0; i < 31; ++i) EXPECT_FALSE(is_decoded(1)) << i;
  EXPECT_TRUE(is_decoded(1)) << "this page is decoded at its 64th read";
  EXPECT_EQ(counters.index_reads, pages) << "each page is read once";
}

}  // namespace
}  // namespace dgfs::test
