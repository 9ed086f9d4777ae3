// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/writer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "builder/spool/tree_path.h"
#include "format/entry/mode.h"
#include "format/header/section.h"
#include "format/limits.h"
#include "format/page/header.h"
#include "storage/memory/env.h"

namespace dgfs::builder {
namespace {

TEST(IndexWriter, BeginsAFurtherAttributeTableWhenOneIsFull) {
  const auto env = storage::make_memory_env(1);
  const auto file = env->create_unnamed("/");
  IndexWriter writer(*file.value(), {env.get(), "/"}, StopFlag());
  ASSERT_TRUE(writer.begin(format::Model::empty()));
  format::Entry entry;
  set_key(entry.key, {}, {});
  entry.mode = format::kTypeDirectory | 0755;
  ASSERT_TRUE(writer.add(entry));
  ASSERT_TRUE(writer.begin_directory());
  const std::uint32_t files = format::kAttributeTableEntriesMax + 100;
  for (std::uint32_t i = 0; i < files; ++i) {
    entry = {};
    set_key(entry.key, {}, std::to_string(1000000 + i));
    entry.mode = format::kTypeRegular | 0644;
    entry.uid = i;
    ASSERT_TRUE(writer.add(entry));
  }
  IndexFacts facts;
  facts.volumes = {{0, format::kPageBytes, {}}};
  const auto superblock = writer.finish(facts);
  ASSERT_TRUE(superblock) << superblock.error().message();
  EXPECT_EQ(superblock.value().namespace_entries, files + 1);

  Buffer index(superblock.value().index_bytes);
  ASSERT_TRUE(storage::read_exactly(*file.value(), 0, index));
  const auto& pages = superblock.value().section(format::SectionKind::kPages);
  std::set<std::uint16_t> tables;
  std::uint64_t entries = 0;
  for (std::uint64_t at = 0; at < pages.length_bytes; at += format::kPageBytes) {
    const auto header =
        format::read_page_header(Bytes(index).subspan(pages.offset_bytes + at, format::kPageBytes));
    ASSERT_TRUE(header);
    tables.insert(header.value().attribute_table);
    entries += header.value().entry_count;
  }
  EXPECT_EQ(tables, (std::set<std::uint16_t>{0, 1}));
  EXPECT_EQ(entries, files + 1);
}

// One object has more names than a block has room for; its neighbours have few.
TEST(LinkNamesWriter, GivesAnObjectOfManyNamesBlocksOfItsOwn) {
  const auto env = storage::make_memory_env(1);
  LinkNamesWriter writer({env.get(), "/"}, StopFlag());
  std::map<format::InodeNumber, std::vector<format::Ordinal>> put;
  const format::Ordinal names_end = 60'000;
  for (format::Ordinal name = 1; name < names_end; ++name) {
    // Object 3 has every fourth name; the other objects have adjacent names.
    const auto inode = name % 4 == 2 ? 3 : 10 + name / 3;
    put[inode].push_back(name);
    ASSERT_TRUE(writer.add(inode, name));
  }
  ASSERT_TRUE(writer.finish());
  const auto bytes_of = [](const Spool& spool) {
    Buffer bytes(spool.size_bytes());
    EXPECT_TRUE(spool.read(0, bytes));
    return bytes;
  };
  const auto blocks = bytes_of(writer.blocks());
  const auto rows = format::open_block(format::SectionKind::kLinkTable, bytes_of(writer.table()));
  format::LinkTable::Loader loader(blocks.size(), names_end + 1, names_end);
  ASSERT_TRUE(loader.add(rows.value().body));
  const auto table = std::move(loader).finish().value();
  decltype(put) found;
  for (std::size_t i = 0; i < table.block_count(); ++i) {
    const auto place = table.place(i);
    const auto block =
        format::open_block(format::SectionKind::kLinkNames,
                           Bytes(blocks).subspan(place.offset_bytes, place.length_bytes));
    ASSERT_TRUE(format::visit_link_block(
        block.value().body, table.bounds(i), [&](format::InodeNumber inode, auto names) {
          const auto range = table.find(inode);
          EXPECT_TRUE(range.begin <= i && i < range.end) << inode;
          EXPECT_TRUE(inode == 3 || range.end - range.begin == 1) << inode;
          found[inode].insert(found[inode].end(), names.begin(), names.end());
        }));
  }
  EXPECT_EQ(found, put);
  const auto many = table.find(3);
  EXPECT_EQ(many.end - many.begin, 4U);  // 15,000 names
}

TEST(LinkNamesWriter, OfNoNamesWritesNothing) {
  const auto env = storage::make_memory_env(1);
  LinkNamesWriter writer({env.get(), "/"}, StopFlag());
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(writer.blocks().size_bytes() + writer.table().size_bytes(), 0U);
}

}  // namespace
}  // namespace dgfs::builder
