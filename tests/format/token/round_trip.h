// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tests/format/token/token_fixtures.h"

namespace dgfs::test {

using format::Entry;

/// Encodes everything and expects it back: by every way of reading, or only by decoding whole
/// pages.
inline void expect_token_round_trip(const std::vector<Entry>& entries,
                                    MapDictionaries& dictionaries, bool every_way = true) {
  const auto context = dictionaries.context(1, 7);
  ASSERT_TRUE(intern_all(entries, *context.attributes));
  std::span<const Entry> rest(entries);
  for (const auto& page : fill_pages(entries, context, format::kTokenCodec)) {
    const auto here = rest.first(page.entry_count);
    const auto opened = format::open_page(page.bytes, dictionaries);
    ASSERT_TRUE(opened) << opened.error().message();
    if (every_way) expect_page_finds(*opened.value(), page.prefix, here);
    const auto decoded = opened.value()->decode();
    ASSERT_TRUE(decoded) << decoded.error().message();
    expect_page_holds(*decoded.value(), page.prefix, here);
    EXPECT_EQ(page.data_bytes, decoded.value()->data_offset(page.entry_count));
    EXPECT_EQ(page.first_key, here.front().key);
    EXPECT_EQ(page.last_key, here.back().key);
    rest = rest.subspan(page.entry_count);
  }
  EXPECT_TRUE(rest.empty());
}

}  // namespace dgfs::test
