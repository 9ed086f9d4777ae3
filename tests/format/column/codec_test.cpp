// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/codec.h"

#include "format/column/entry_columns.h"
#include "format/column/page_loader.h"
#include "format/column/reader.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/zstd/payload.h"
#include "tests/format/page/page_fixtures.h"

namespace dgfs::test {
namespace {

using format::Entry;

/// Encodes and decodes everything, and compares.
void expect_round_trip(const std::vector<Entry>& entries, MapDictionaries& dictionaries,
                       const format::PageContext& context) {
  ASSERT_TRUE(intern_all(entries, *context.attributes));
  std::span<const Entry> rest(entries);
  for (const auto& page : fill_pages(entries, context)) {
    auto decoded = format::decode_page(page.bytes, dictionaries);
    ASSERT_TRUE(decoded) << decoded.error().message();
    const auto here = rest.first(page.entry_count);
    expect_page_holds(*decoded.value(), page.prefix, here);
    EXPECT_EQ(page.data_bytes, decoded.value()->data_offset(page.entry_count));
    EXPECT_EQ(page.first_key, here.front().key);
    EXPECT_EQ(page.last_key, here.back().key);
    rest = rest.subspan(page.entry_count);
  }
  EXPECT_TRUE(rest.empty());
}

TEST(ColumnCodec, RandomTreesComeBack) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EntryGenerator generator(seed);
    EntryOptions options;
    options.entry_count = 1 + generator.below(2000);
    options.feature_percent = static_cast<unsigned>(seed % 3) * 20;
    options.wild_names = seed % 2 == 0;
    options.wild_values = seed % 4 < 2;
    MapDictionaries dictionaries;
    expect_round_trip(generator.tree(options), dictionaries, dictionaries.context(0, 7));
  }
}

TEST(ColumnCodec, LinkRecordsComeBack) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EntryGenerator generator(seed);
    MapDictionaries dictionaries;
    expect_round_trip(generator.link_records(1500), dictionaries, dictionaries.context(0, 0));
  }
}

TEST(ColumnCodec, ColumnsAreBounded) {
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 7);
  std::vector<Entry> entries(20);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].key = std::string(1, static_cast<char>('a' + i)) + std::string(60'000, 'x');
    entries[i].mode = format::kTypeRegular | 0644;
  }
  ASSERT_TRUE(intern_all(entries, *context.attributes));
  const format::ColumnCodec codec;
  std::uint32_t decoded_bytes = 0;
  EXPECT_EQ(codec.columns(entries, context).error().code(), 2150);
  EXPECT_FALSE(codec.encode(entries, context, decoded_bytes).value());
  entries.resize(3);
  EXPECT_GT(codec.columns(entries, context).value().size(), 180'000U);
  EXPECT_TRUE(codec.encode(entries, context, decoded_bytes).value());
  entries[1].target = "t";
  EXPECT_EQ(codec.columns(entries, context).error().code(), 2186);
  EXPECT_EQ(codec.encode(entries, context, decoded_bytes).error().code(), 2186);
}

/// A page that a decoder accepts must be one that an encoder can write: re-encoding gives a page
/// that decodes to the same entries.
void expect_sound(const format::DecodedPage& page, const format::AttributeTable& table) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < page.size(); ++i) entries.push_back(page.entry(i));
  const auto columns = format::encode_columns(entries, 0, table);
  ASSERT_TRUE(columns) << columns.error().message();
  ASSERT_TRUE(columns.value());
  const auto again = format::decode_columns(columns.value()->bytes, entries.size(), table);
  ASSERT_TRUE(again) << again.error().message();
  expect_page_holds(*again.value(), "", entries);
}

struct Columns {
  Columns(std::uint64_t seed, bool links) {
    EntryGenerator generator(seed);
    EntryOptions options;
    options.entry_count = 30;
    options.special_percent = 30;
    options.link_percent = 15;
    options.feature_percent = 20;
    entries = links ? generator.link_records(30, options) : generator.tree(options);
    intern_all(entries, table);
    bytes = format::encode_columns(entries, 0, table).value()->bytes;
  }
  std::vector<Entry> entries;
  format::AttributeTable table{1};
  Buffer bytes;
};

/// The entropy coder's own checks would hide most damage. This test flips every bit of the columns
/// themselves, as a forger could.
TEST(ColumnCodec, FlippedColumnsNeverViolateTheRules) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Columns columns(seed, seed == 2);
    std::size_t accepted = 0;
    for (std::size_t bit = 0; bit < columns.bytes.size() * 8; ++bit) {
      auto bad = columns.bytes;
      bad[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      const auto page = format::decode_columns(bad, columns.entries.size(), columns.table);
      if (!page) {
        ASSERT_EQ(page.error().kind(), ErrorKind::kCorrupt);
        continue;
      }
      ++accepted;
      expect_sound(*page.value(), columns.table);
      if (HasFailure()) FAIL() << "seed " << seed << " bit " << bit;
    }
    EXPECT_GT(accepted, 0u) << "some flips only change a value";
  }
}

TEST(ColumnCodec, RandomBytesNeverViolateTheRules) {
  const Columns columns(1, false);
  EntryGenerator generator(9);
  for (int round = 0; round < 20000; ++round) {
    auto bad = columns.bytes;
    for (auto changes = 1 + generator.below(6); changes > 0; --changes) {
      bad[generator.below(bad.size())] = static_cast<std::uint8_t>(generator.below(256));
    }
    const auto count = columns.entries.size() - generator.below(2);
    const auto page = format::decode_columns(bad, count, columns.table);
    if (page) expect_sound(*page.value(), columns.table);
    ASSERT_FALSE(HasFailure()) << round;
  }
}

TEST(ColumnCodec, TruncationsAndWrongCountsAreDetected) {
  const Columns columns(2, false);
  const auto count = columns.entries.size();
  for (std::size_t length = 0; length < columns.bytes.size(); ++length) {
    EXPECT_FALSE(format::decode_columns(Bytes(columns.bytes).first(length), count, columns.table))
        << length;
  }
  EXPECT_FALSE(format::decode_columns(columns.bytes, count + 1, columns.table));
  EXPECT_FALSE(format::decode_columns(columns.bytes, count - 1, columns.table));
}

/// A compressed payload under a page checksum that fits again.
TEST(ColumnCodec, DamagedPayloadsNeverCrash) {
  EntryGenerator generator(3);
  const auto entries = generator.tree();
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  const auto page = fill_pages(entries, context).front();
  const auto header = format::read_page_header(page.bytes).value();
  const auto payload = Bytes(page.bytes).subspan(format::kPageHeaderBytes, header.payload_bytes);
  for (std::size_t at = 0; at < payload.size(); ++at) {
    Buffer bad(payload.begin(), payload.end());
    bad[at] ^= static_cast<std::uint8_t>(1u << generator.below(8));
    const auto decoded = format::decode_page(format::make_page(header, bad), dictionaries);
    if (decoded) expect_sound(*decoded.value(), *context.attributes);
    if (at % 8 == 0) {
      EXPECT_FALSE(format::decode_page(format::make_page(header, payload.first(at)), dictionaries));
    }
  }
}

/// With front coding, few bytes stand for many: the sum of written-out keys is bounded (F-146).
TEST(ColumnCodec, ExpandingKeysAreRefused) {
  Columns columns(0, false);
  format::ColumnWriter writer;
  const std::string longest(60000, 'x');
  writer.text(longest + "/");
  for (int i = 1; i < 200; ++i) writer.text("y/");
  for (int i = 1; i < 200; ++i)
    writer.small(2 * (longest.size() + static_cast<std::size_t>(i) - 1));
  const auto page = format::decode_columns(std::move(writer).finish(), 200, columns.table);
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().message().find("keys are too long"), std::string::npos);
}

/// Unused features of a tree cost nothing: a plain file takes one byte of kind, and its name.
TEST(ColumnCodec, UnusedFeaturesCostNothing) {
  std::vector<Entry> entries(100);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].key = std::to_string(100 + i);
    entries[i].mode = format::kTypeRegular | 0644;
  }
  format::AttributeTable table(0);
  intern_all(entries, table);
  const auto bytes = format::encode_columns(entries, 0, table).value()->bytes.size();
  // Per entry: at most 2 bytes of name, its end, shared length, kind. Head 8, attributes 3.
  EXPECT_LE(bytes, 100 * 5 + 8 + 3);
}

TEST(ColumnCodec, LinkNamesAreCheap) {
  std::vector<Entry> entries(1000);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].key = std::to_string(1000 + i);
    entries[i].mode = format::kTypeRegular;
    entries[i].link_inode = 5 + i;
  }
  format::AttributeTable table(0);
  EXPECT_TRUE(format::encode_columns(entries, 0, table).value());
  MapDictionaries dictionaries;
  const auto pages = fill_pages(entries, dictionaries.context(0, 0));
  ASSERT_EQ(pages.size(), 1u);
  EXPECT_LT(format::read_page_header(pages[0].bytes).value().payload_bytes, 700);
}

TEST(ColumnCodec, TheLevelChangesTheBytesAndNotTheEntries) {
  EntryGenerator generator(6);
  EntryOptions options;
  options.entry_count = 60;
  const auto entries = generator.tree(options);
  MapDictionaries dictionaries;
  auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  const format::ColumnCodec codec;
  std::vector<Buffer> payloads;
  for (const int level : {0, format::ColumnCodec::kDefaultLevel, 1}) {
    context.level = level;
    std::uint32_t decoded_bytes = 0;
    payloads.push_back(codec.encode(entries, context, decoded_bytes).value().value());
    const auto plain =
        format::decompress_payload(payloads.back(), decoded_bytes, *context.model).value();
    EXPECT_EQ(plain, codec.columns(entries, context).value());
  }
  EXPECT_EQ(payloads[0], payloads[1]);  // 0 is the default
  EXPECT_NE(payloads[0], payloads[2]);
}

}  // namespace
}  // namespace dgfs::test
