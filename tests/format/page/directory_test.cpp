// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/directory.h"

#include <set>

#include "format/coding.h"
#include "format/entry/key.h"
#include "format/limits.h"
#include "tests/format/page/page_fixtures.h"

namespace dgfs::test {
namespace {

using format::PageDirectory;
using format::PageRecord;

PageRecord owned(const format::PageRecordView& view) {
  return {view.zone,
          std::string(view.prefix),
          std::string(view.separator),
          view.first_ordinal,
          view.entry_count,
          view.volume,
          view.first_data_offset,
          view.checksum};
}

struct Index {
  std::vector<format::Entry> entries;
  std::vector<PageRecord> records;
};

/// Adds the pages of `entries` to `zone`.
void add_zone(std::uint64_t zone, const std::vector<format::Entry>& entries, Index& index) {
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  std::optional<std::string> previous;
  for (const auto& page : fill_pages(entries, context)) {
    PageRecord record;
    record.zone = zone;
    record.prefix = page.prefix;
    record.separator = format::make_separator(previous, page.first_key, page.prefix);
    if (!index.records.empty()) {
      const auto& last = index.records.back();
      record.first_ordinal = last.first_ordinal + last.entry_count;
      record.first_data_offset = last.first_data_offset + 1000;
    }
    record.entry_count = static_cast<std::uint32_t>(page.entry_count);
    record.volume = static_cast<format::VolumeNumber>(index.records.size() / 3);
    record.checksum = page.checksum;
    previous = page.last_key;
    index.records.push_back(record);
  }
  index.entries.insert(index.entries.end(), entries.begin(), entries.end());
}

/// An index with a namespace, a second zone, and the link zone.
Index make_index(std::uint64_t seed) {
  EntryGenerator generator(seed);
  EntryOptions options;
  options.entry_count = 3000;
  Index index;
  add_zone(0, generator.tree(options), index);
  add_zone(77, generator.tree(options), index);
  add_zone(format::kLinkZone, generator.link_records(800), index);
  return index;
}

TEST(PageDirectory, FindsTheOnlyPageOfEveryEntry) {
  const auto index = make_index(1);
  const auto directory = PageDirectory::make(index.records).value();
  EXPECT_EQ(directory.entry_count(), index.entries.size());
  std::size_t page = 0;
  for (std::size_t i = 0; i < index.entries.size(); ++i) {
    const auto& record = index.records[page];
    const auto& key = index.entries[i].key;
    ASSERT_EQ(directory.find(record.zone, key), page) << i;
    ASSERT_EQ(directory.find_ordinal(i), page) << i;
    ASSERT_GE(key, directory.bound(page));
    if (i + 1 == record.first_ordinal + record.entry_count) ++page;
  }
  EXPECT_EQ(directory.find_ordinal(index.entries.size()), std::nullopt);
  EXPECT_EQ(directory.find(5, index.entries[0].key), std::nullopt);
  EXPECT_EQ(directory.find(78, index.entries.back().key), std::nullopt);
}

/// The expected result of find(), computed by a linear search.
std::optional<std::size_t> find_slowly(const PageDirectory& directory, std::uint64_t zone,
                                       std::string_view key) {
  std::optional<std::size_t> found;
  for (std::size_t page = 0; page < directory.size(); ++page) {
    if (directory.record(page).zone == zone && directory.bound(page) <= key) found = page;
  }
  return found && key.starts_with(directory.prefix(*found)) ? found : std::nullopt;
}

// Zones that begin and end within groups of every level, and bounds that differ early, late, only
// in length, or in a zero.
TEST(PageDirectory, FindsAmongManyPagesOfSeveralZones) {
  EntryGenerator generator(9);
  for (const std::size_t pages : {1u, 63u, 64u, 65u, 500u, 4097u, 9000u}) {
    SCOPED_TRACE(pages);
    std::set<std::pair<std::uint64_t, std::string>> bounds;
    while (bounds.size() < pages) {
      std::string bound(generator.below(3) * 5, 'a');
      const auto tail = 1 + generator.below(4);
      for (std::size_t i = 0; i < tail; ++i) bound += "\0abcdefgh\xff"[generator.below(10)];
      bounds.emplace(generator.below(10) == 0 ? 3 : generator.below(3), bound);
    }
    std::vector<PageRecord> records;
    for (const auto& [zone, bound] : bounds) {
      PageRecord record;
      record.zone = zone;
      record.prefix = bound.substr(0, bound.size() / 4);
      record.separator = bound.substr(record.prefix.size());
      record.first_ordinal = records.size();
      record.entry_count = 1;
      records.push_back(record);
    }
    const auto directory = PageDirectory::make(records).value();
    for (int round = 0; round < 400; ++round) {
      auto key = records[generator.below(pages)].prefix + records[generator.below(pages)].separator;
      if (round % 2 == 0) {
        const auto& record = records[generator.below(pages)];
        key = record.prefix + record.separator;
      }
      if (round % 5 == 0) key.resize(generator.below(key.size() + 3));
      const auto zone = generator.below(5);
      ASSERT_EQ(directory.find(zone, key), find_slowly(directory, zone, key)) << round;
    }
  }
}

TEST(PageDirectory, KeepsRecords) {
  const auto index = make_index(2);
  const auto directory = PageDirectory::make(index.records).value();
  ASSERT_EQ(directory.size(), index.records.size());
  for (std::size_t i = 0; i < directory.size(); ++i) {
    EXPECT_EQ(owned(directory.record(i)), index.records[i]);
    EXPECT_EQ(directory.prefix(i), index.records[i].prefix);
    EXPECT_EQ(directory.first_ordinal(i), index.records[i].first_ordinal);
  }
  EXPECT_LT(directory.memory_bytes(), directory.size() * 600 + 1000);
}

TEST(PageDirectory, SeparatorIsTheShortestThatSeparates) {  // F-241
  EXPECT_EQ(format::make_separator(std::nullopt, "abc", "ab"), "");
  EXPECT_EQ(format::make_separator("aba", "abcdef", "abc"), "");
  EXPECT_EQ(format::make_separator("abcc", "abcdef", "ab"), "cd");
  EXPECT_EQ(format::make_separator("abc", "abcdef", ""), "abcd");
  EntryGenerator generator(4);
  const auto entries = generator.tree();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const auto& before = entries[i - 1].key;
    const auto& key = entries[i].key;
    const auto separator = format::make_separator(before, key, "");
    EXPECT_LT(before, separator);
    EXPECT_LE(separator, key);
    EXPECT_LE(separator.substr(0, separator.size() - 1), before);
  }
}

TEST(PageDirectory, BlocksComeBack) {
  auto index = make_index(3);
  EXPECT_EQ(format::decode_page_block(format::encode_page_block(index.records)).value(),
            index.records);
  index.records.erase(index.records.begin(), index.records.begin() + 2);  // a later block
  EXPECT_EQ(format::decode_page_block(format::encode_page_block(index.records)).value(),
            index.records);
  EXPECT_TRUE(format::decode_page_block(format::encode_page_block({})).value().empty());
}

TEST(PageDirectory, RefusesRecordsOutOfOrder) {  // F-242 to F-245
  const auto index = make_index(5);
  ASSERT_GT(index.records.size(), 4u);
  auto swapped = index.records;
  std::swap(swapped[1].prefix, swapped[2].prefix);
  std::swap(swapped[1].separator, swapped[2].separator);
  EXPECT_EQ(PageDirectory::make(swapped).error().code(), 2302);
  EXPECT_EQ(format::decode_page_block(format::encode_page_block(swapped)).error().code(), 2312);
  auto gap = index.records;
  ++gap[1].first_ordinal;
  EXPECT_EQ(PageDirectory::make(gap).error().code(), 2301);
  auto late = index.records;
  late.erase(late.begin());
  EXPECT_EQ(PageDirectory::make(late).error().code(), 2301);
  auto empty = index.records;
  empty[0].entry_count = 0;
  EXPECT_EQ(PageDirectory::make(empty).error().code(), 2300);
  EXPECT_EQ(format::decode_page_block(format::encode_page_block(empty)).error().code(), 2310);
  empty[0].entry_count = format::kPageEntriesMax + 1;
  EXPECT_EQ(PageDirectory::make(empty).error().code(), 2300);
  EXPECT_FALSE(format::decode_page_block(format::encode_page_block(empty)));
  auto far = index.records;
  far[1].first_data_offset = format::kFileBytesMax + 1;
  EXPECT_EQ(format::decode_page_block(format::encode_page_block(far)).error().code(), 2311);
}

/// Two records, the first with the bound "ab", the second with the given shape.
Buffer block_of_bound(std::uint64_t shared, std::uint64_t suffix, std::uint64_t separator) {
  Buffer block;
  format::Encoder encoder(block);
  for (const std::uint64_t value : {std::uint64_t{2}, std::uint64_t{0}, std::uint64_t{2},
                                    std::uint64_t{1}, shared, suffix, separator}) {
    encoder.varint(value);
  }
  encoder.raw(as_bytes("ab" + std::string(suffix, 'c')));
  for (const int value : {0, 0, 0, 1, 1, 0, 0, 0, 0}) encoder.varint(static_cast<unsigned>(value));
  for (int i = 0; i < 2; ++i) encoder.fixed(std::uint64_t{0});
  return block;
}

TEST(PageDirectory, BoundsHaveBounds) {  // F-246
  EXPECT_TRUE(format::decode_page_block(block_of_bound(2, 65533, 65535)));
  EXPECT_TRUE(format::decode_page_block(block_of_bound(1, 3, 0)));
  for (const auto& bad :
       {block_of_bound(2, 65534, 0), block_of_bound(3, 1, 0), block_of_bound(2, 1, 4)}) {
    EXPECT_EQ(format::decode_page_block(bad).error().code(), 2003);
  }
}

/// Checksums protect sealed blocks; the decoder sees such bytes only if a forger wrote them.
TEST(PageDirectory, DamagedBlocksNeverCrash) {
  auto index = make_index(6);
  index.records.resize(std::min<std::size_t>(index.records.size(), 8));
  const auto good = format::encode_page_block(index.records);
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(format::decode_page_block(Bytes(good).first(length))) << length;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto bad = good;
      bad[at] ^= static_cast<std::uint8_t>(1u << bit);
      const auto records = format::decode_page_block(bad);
      if (!records) continue;
      for (std::size_t i = 1; i < records.value().size(); ++i) {
        const auto& before = records.value()[i - 1];
        EXPECT_EQ(before.first_ordinal + before.entry_count, records.value()[i].first_ordinal);
      }
    }
  }
}

TEST(PageDirectory, NoPageHoldsWhatIsBelowAllOrElsewhere) {
  EXPECT_EQ(PageDirectory::make({}).value().find(0, "a"), std::nullopt);
  PageRecord record;
  record.prefix = "b";
  record.entry_count = 1;
  const auto directory = PageDirectory::make({record}).value();
  EXPECT_EQ(directory.find(0, "b"), 0U);
  EXPECT_EQ(directory.find(0, "a"), std::nullopt);  // below the first bound
  EXPECT_EQ(directory.find(0, "c"), std::nullopt);  // behind it, but not with its prefix
}

TEST(PageDirectory, TheLoaderRefusesWhatMakeRefuses) {  // F-242, F-243
  const auto index = make_index(7);
  const std::vector<PageRecord> first(index.records.begin(), index.records.begin() + 2);
  const std::vector<PageRecord> second(index.records.begin() + 2, index.records.begin() + 4);
  const auto load = [](const std::vector<std::vector<PageRecord>>& blocks) {
    PageDirectory::Loader loader(4);
    for (const auto& block : blocks) {
      const auto added = loader.add(format::encode_page_block(block));
      if (!added) return added.error().code();
    }
    return decltype(Error(ErrorKind::kIo, 1, "").code())();
  };
  EXPECT_EQ(load({first, {}, second}), 0);
  EXPECT_EQ(load({second}), 2301);  // ordinals begin at 0
  auto same_bound = second;
  same_bound[0].prefix = first[1].prefix;
  same_bound[0].separator = first[1].separator;
  EXPECT_EQ(load({first, same_bound}), 2302);
  PageDirectory::Loader loader(1);
  EXPECT_FALSE(loader.add(Buffer{1}));
}

}  // namespace
}  // namespace dgfs::test
