// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where an entry's extent begins (docs/FORMAT.md, "Data addresses"), through a real page.
#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "tests/format/page/page_fixtures.h"

namespace dgfs::format {
namespace {

Entry file(const std::string& name, std::uint64_t size_bytes) {
  Entry entry;
  entry.key = std::string(1, '\0') + name;
  entry.mode = kTypeRegular | 0644;
  entry.size_bytes = size_bytes;
  entry.stored_bytes = raw_extent_bytes(size_bytes);
  return entry;
}

Entry link_name(const std::string& name, InodeNumber inode, std::uint64_t stored_bytes) {
  Entry entry;
  entry.key = std::string(1, '\0') + name;
  entry.mode = kTypeRegular;
  entry.link_inode = inode;
  entry.stored_bytes = stored_bytes;
  return entry;
}

/// The address of each entry, relative to the page's first offset; the page's total comes last.
std::vector<std::uint64_t> data_offsets(const std::vector<Entry>& entries) {
  dgfs::test::MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  for (const auto& entry : entries) {
    context.attributes->intern({entry.mode, entry.uid, entry.gid});
  }
  const auto pages = dgfs::test::fill_pages(entries, context);
  EXPECT_EQ(pages.size(), 1U);
  const auto page = decode_page(pages.front().bytes, dictionaries);
  std::vector<std::uint64_t> offsets;
  if (!page) {
    ADD_FAILURE() << page.error().message();
    return offsets;
  }
  for (std::size_t i = 0; i <= entries.size(); ++i) {
    offsets.push_back(page.value()->data_offset(i));
  }
  return offsets;
}

TEST(DataAddressTest, IsARunningSumOfStoredBytes) {  // F-310
  EXPECT_EQ(data_offsets({file("a", 100), file("b", 0), file("c", 70000), file("d", 1)}),
            (std::vector<std::uint64_t>{0, 108, 108, 70124, 70133}));
}

TEST(DataAddressTest, IsNotAdvancedByExplicitAddresses) {  // F-311
  auto shared = file("b", 500);
  shared.address = DataAddress{3, 123456};
  EXPECT_EQ(data_offsets({file("a", 100), shared, file("c", 8)}),
            (std::vector<std::uint64_t>{0, 108, 108, 124}));
}

TEST(DataAddressTest, IsAdvancedByTheNameThatHoldsTheData) {  // F-312
  EXPECT_EQ(
      data_offsets({file("a", 100), link_name("b", 3, 58), link_name("c", 3, 0), file("d", 2)}),
      (std::vector<std::uint64_t>{0, 108, 166, 166, 176}));
}

TEST(LinkZoneTest, OrdersRecordsByInodeNumber) {  // F-320
  EXPECT_EQ(link_key(0x0102030405060708), "\1\2\3\4\5\6\7\10");
  EXPECT_EQ(link_key(1), std::string("\0\0\0\0\0\0\0\1", 8));
  EXPECT_LT(link_key(255), link_key(256));
  EXPECT_LT(link_key(1), link_key(~std::uint64_t{0}));
}

}  // namespace
}  // namespace dgfs::format
