// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Helpers for tests of index pages: dictionaries from a map, and the pages of a list of entries.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "format/page/codec.h"
#include "format/page/page.h"
#include "format/page_open.h"
#include "tests/support/entry_generator.h"

namespace dgfs::test {

class MapDictionaries final : public format::PageDictionaries {
 public:
  MapDictionaries() { models[0] = format::Model::empty(); }
  const format::Model* model(std::uint16_t id) const override {
    const auto at = models.find(id);
    return at == models.end() ? nullptr : at->second.get();
  }
  const format::AttributeTable* attribute_table(std::uint16_t id) const override {
    const auto at = tables.find(id);
    return at == tables.end() ? nullptr : &at->second;
  }
  /// The context for encoding with model `model_id` and table `table_id`.
  format::PageContext context(std::uint16_t model_id, std::uint16_t table_id) {
    format::PageContext context;
    context.model = models.at(model_id).get();
    context.attributes = &tables.try_emplace(table_id, table_id).first->second;
    return context;
  }

  std::map<std::uint16_t, std::shared_ptr<const format::Model>> models;
  std::map<std::uint16_t, format::AttributeTable> tables;
};

/// All pages of `entries`.
inline std::vector<format::EncodedPage> fill_pages(const std::vector<format::Entry>& entries,
                                                   const format::PageContext& context,
                                                   std::uint8_t codec_id = format::kColumnCodec) {
  std::vector<format::EncodedPage> pages;
  std::size_t guess = 400;
  std::span<const format::Entry> rest(entries);
  const auto* codec = format::find_page_codec(codec_id);
  while (!rest.empty()) {
    auto page = format::fill_page(*codec, rest, context, guess);
    if (!page) {
      ADD_FAILURE() << page.error().message();
      break;
    }
    rest = rest.subspan(page.value().entry_count);
    pages.push_back(std::move(page).value());
  }
  return pages;
}

/// Expects `page` to hold exactly `entries`.
inline void expect_page_holds(const format::DecodedPage& page, std::string_view prefix,
                              std::span<const format::Entry> entries) {
  ASSERT_EQ(page.size(), entries.size());
  std::uint64_t data_bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto expected = entries[i];
    ASSERT_TRUE(expected.key.starts_with(prefix));
    expected.key.erase(0, prefix.size());
    EXPECT_TRUE(page.entry(i) == expected) << "entry " << i;
    EXPECT_EQ(page.key(i), expected.key);
    EXPECT_EQ(page.mode(i), expected.mode);
    EXPECT_EQ(page.link_inode(i), expected.link_inode);
    EXPECT_EQ(page.lower_bound(expected.key), i);
    EXPECT_EQ(page.lower_bound(expected.key + '\x01'), i + 1);
    EXPECT_EQ(page.data_offset(i), data_bytes);
    data_bytes += format::running_bytes(expected);
  }
  EXPECT_EQ(page.data_offset(entries.size()), data_bytes);
}

/// Expects an open page to find each of `entries`, by key and by number, and nothing else.
inline void expect_page_finds(const format::Page& page, std::string_view prefix,
                              std::span<const format::Entry> entries) {
  ASSERT_EQ(page.size(), entries.size());
  EXPECT_EQ(page.first_key(), std::string_view(entries.front().key).substr(prefix.size()));
  std::uint64_t data_bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto expected = entries[i];
    expected.key.erase(0, prefix.size());
    const auto by_key = page.find(expected.key);
    const auto by_number = page.entry(i);
    ASSERT_TRUE(by_key && by_number) << "entry " << i;
    ASSERT_TRUE(by_key.value()) << "entry " << i;
    for (const auto* found : {&*by_key.value(), &by_number.value()}) {
      EXPECT_EQ(found->index, i);
      EXPECT_TRUE(found->entry == expected) << "entry " << i;
      EXPECT_EQ(found->data_offset, data_bytes);
    }
    EXPECT_FALSE(page.find(expected.key + '\x01').value());
    data_bytes += format::running_bytes(expected);
  }
}

}  // namespace dgfs::test
