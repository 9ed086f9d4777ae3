// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/tree_spool.h"

#include <gtest/gtest.h>

#include "format/entry/mode.h"
#include "storage/memory/env.h"

namespace dgfs::builder {
namespace {

ScannedEntry kept_entry(std::string_view name, format::VolumeNumber volume) {
  ScannedEntry entry;
  entry.mode = format::kTypeRegular | 0644;
  entry.size_bytes = 7;
  entry.name = name;
  entry.ctime = Time{5, 6};
  KeptContent kept;
  kept.stored_bytes = 15;
  kept.address = {volume, 4096};
  kept.fragment_offset = 0;
  entry.kept = kept;
  return entry;
}

// The contents of a volume that is packed anew look as if they had never been kept; all else stays.
TEST(TreeSpoolTest, ContentsOfSomeVolumesCountAsNotKept) {
  const auto env = storage::make_memory_env(1);
  TreeSpool spool({env.get(), "/"});
  ASSERT_TRUE(spool.begin_directory({}));
  for (format::VolumeNumber volume = 1; volume <= 3; ++volume) {
    ASSERT_TRUE(spool.add(kept_entry("file" + std::to_string(volume), volume)));
  }
  spool.pack_anew({2});
  for (int pass = 0; pass < 2; ++pass) {
    TreeReader reader(spool);
    ASSERT_EQ(record_kind(*reader.next().value()), RecordKind::kDirectory);
    for (format::VolumeNumber volume = 1; volume <= 3; ++volume) {
      const auto record = reader.next().value();
      const auto entry = decode_entry_record(*record).value();
      EXPECT_EQ(entry.name, "file" + std::to_string(volume));
      EXPECT_EQ(entry.ctime, (Time{5, 6}));
      ASSERT_EQ(entry.kept.has_value(), volume != 2);
      if (entry.kept) EXPECT_EQ(entry.kept->address, (format::DataAddress{volume, 4096}));
    }
    EXPECT_FALSE(reader.next().value());
  }
}

}  // namespace
}  // namespace dgfs::builder
