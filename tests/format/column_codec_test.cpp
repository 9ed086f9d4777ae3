// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column_codec.h"

#include "format/column_reader.h"
#include "format/key.h"
#include "format/mode.h"
#include "tests/format/page_test_support.h"

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

}  // namespace
}  // namespace dgfs::test
