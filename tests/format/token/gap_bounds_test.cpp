// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pages with gaps. Pages whose gaps and extents together pass the bound of F-162: no way to read an
// entry gives it a place behind the bound, where sums could begin again at 0.
#include <string>
#include <vector>

#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "format/page/header.h"
#include "tests/format/token/round_trip.h"
#include "tests/format/token/token_fixtures.h"

namespace dgfs::test {
namespace {

// Such a page has no link records.
void add_gaps(std::vector<Entry>& entries, EntryGenerator& generator) {
  for (Entry& entry : entries) {
    entry.link_count = 0;
    const bool is_in_sum =
        entry.stored_bytes != 0 && !entry.address && entry.fragment_offset.value_or(0) == 0;
    if (!is_in_sum || generator.below(3) != 0) continue;
    entry.gap_bytes = generator.below(10) == 0 ? std::uint64_t{1} << 45 : 1 + generator.below(5000);
  }
}

TEST(TokenCodec, GapsComeBack) {  // F-315
  std::size_t flagged = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EntryGenerator generator(seed);
    EntryOptions options;
    options.entry_count = 1 + generator.below(1000);
    options.feature_percent = static_cast<unsigned>(seed % 3) * 20;
    auto entries = generator.tree(options);
    add_gaps(entries, generator);
    auto dictionaries = token_dictionaries(seed, 1 + seed % 5);
    expect_token_round_trip(entries, dictionaries);
    const auto context = dictionaries.context(1, 7);
    for (const auto& page : fill_pages(entries, context, format::kTokenCodec)) {
      flagged += page.bytes[13] == format::kPageGaps ? 1 : 0;
    }
  }
  EXPECT_GT(flagged, 10U);
}

constexpr std::uint64_t kStoredBytes = 1000;

// Files with gaps that fill the bound together.
std::vector<format::Entry> far_files(std::size_t count) {
  std::vector<format::Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    auto& entry = entries.emplace_back();
    entry.key = format::key_of_path("file" + std::to_string(i)).value();
    entry.mode = format::kTypeRegular | 0644;
    entry.size_bytes = 990;
    entry.stored_bytes = kStoredBytes;
    entry.gap_bytes = format::kFileBytesMax / count - kStoredBytes;
  }
  return entries;
}

bool is_in_bounds(const format::PageEntry& found) {
  const auto& entry = found.entry;
  if (entry.address || entry.fragment_offset.value_or(0) != 0) return true;  // not in the sum
  const auto begin = format::extent_offset(entry, found.data_offset);
  return begin <= format::kFileBytesMax && entry.stored_bytes <= format::kFileBytesMax - begin;
}

// Flips each bit of the page in turn. Bits of a gap make sums that are too large.
TEST(GapBounds, NoPlaceLiesBehindThem) {
  std::size_t answers = 0;
  std::size_t refused = 0;
  for (const std::size_t count : {1U, 2U, 5U}) {
    auto dictionaries = token_dictionaries(count, 2);
    const auto context = dictionaries.context(1, 7);
    const auto entries = far_files(count);
    ASSERT_TRUE(intern_all(entries, *context.attributes));
    auto guess = count;
    const auto& codec = *format::find_page_codec(format::kTokenCodec);
    const auto page = format::fill_page(codec, entries, context, guess).value();
    const auto header = format::read_page_header(page.bytes).value();
    const auto payload = Bytes(page.bytes).subspan(format::kPageHeaderBytes, header.payload_bytes);
    for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
      Buffer changed(payload.begin(), payload.end());
      changed[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      const auto opened = format::open_page(format::make_page(header, changed), dictionaries);
      if (!opened) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const auto entry = opened.value()->entry(i);
        const auto found = opened.value()->find(entries[i].key.substr(page.prefix.size()));
        EXPECT_TRUE(!entry || is_in_bounds(entry.value())) << "bit " << bit << ", entry " << i;
        EXPECT_TRUE(!found || !found.value() || is_in_bounds(*found.value())) << "bit " << bit;
        answers += entry ? 1U : 0U;
        refused += entry || entry.error().code() != 2923 ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(answers, 100U);
  EXPECT_GT(refused, 10U);
}

}  // namespace
}  // namespace dgfs::test
