// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/writer.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace dgfs::builder
