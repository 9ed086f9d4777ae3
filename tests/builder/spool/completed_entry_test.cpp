// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/completed_entry.h"

#include <gtest/gtest.h>

#include "format/entry/mode.h"
#include "storage/memory/env.h"

namespace dgfs::builder {
namespace {

format::Entry plain_record() {
  format::Entry record;
  record.key = "key of a link record";
  record.mode = format::kTypeRegular | 0640;
  record.uid = 7;
  record.gid = 8;
  record.mtime = {1'700'000'000, 5};
  record.link_count = 3;
  record.size_bytes = 1000;
  record.stored_bytes = 508;
  record.codec = format::ExtentCodec::kZstd;
  return record;
}

format::Entry full_record() {
  auto record = plain_record();
  record.ctime = Time{1'700'000'001, 6};
  record.atime = Time{-1, 999'999'999};
  record.fragment_offset = 0;
  record.address = format::DataAddress{2, 8192};
  record.xattrs = {64, 30};
  record.sparse_map = {128, 40};
  return record;
}

// Every field counts, and none of one record may stay in the next.
TEST(LinkRecord, ComesBackFromTheSpoolAsItWas) {
  const auto env = storage::make_memory_env(1);
  Spool spool({env.get(), "/", 1000});
  auto last = full_record();
  last.fragment_offset = 4000;
  const std::vector<format::Entry> records = {full_record(), plain_record(), last};
  for (const auto& record : records) {
    Buffer encoded;
    encode_link_record(record, encoded);
    ASSERT_TRUE(spool.append(encoded));
  }
  SpoolCursor cursor(spool, 0, spool.size_bytes());
  format::Entry decoded;
  for (const auto& record : records) {
    ASSERT_TRUE(decode_link_record(cursor, decoded));
    EXPECT_EQ(decoded, record);
  }
  EXPECT_TRUE(cursor.at_end());
}

}  // namespace
}  // namespace dgfs::builder
