// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/entry.h"

#include "tests/format/compared_values.h"

namespace dgfs::test {
namespace {

using format::DataAddress;
using format::Entry;

// Tests of codecs rely on this: a comparison of entries leaves no field out.
TEST(Entry, EntriesThatDifferInOneFieldDiffer) {
  Entry whole;
  whole.ctime = Time{1, 2};
  whole.atime = Time{3, 4};
  whole.address = DataAddress{1, 5};
  const std::vector<std::function<void(Entry&)>> changes = {
      [](Entry& entry) { entry.key = "k"; },
      [](Entry& entry) { entry.mode = 1; },
      [](Entry& entry) { entry.uid = 1; },
      [](Entry& entry) { entry.gid = 1; },
      [](Entry& entry) { entry.mtime.seconds = 1; },
      [](Entry& entry) { entry.mtime.nanoseconds = 1; },
      [](Entry& entry) { entry.ctime.reset(); },
      [](Entry& entry) { entry.ctime->seconds = 7; },
      [](Entry& entry) { entry.atime.reset(); },
      [](Entry& entry) { entry.atime->nanoseconds = 7; },
      [](Entry& entry) { entry.size_bytes = 1; },
      [](Entry& entry) { entry.stored_bytes = 1; },
      [](Entry& entry) { entry.codec = format::ExtentCodec::kZstd; },
      [](Entry& entry) { entry.address.reset(); },
      [](Entry& entry) { entry.address->volume = 2; },
      [](Entry& entry) { entry.address->offset_bytes = 6; },
      [](Entry& entry) { entry.link_inode = 1; },
      [](Entry& entry) { entry.link_count = 1; },
      [](Entry& entry) { entry.rdev = 1; },
      [](Entry& entry) { entry.target = "t"; },
      [](Entry& entry) { entry.long_target.offset_bytes = 1; },
      [](Entry& entry) { entry.long_target.length_bytes = 1; },
      [](Entry& entry) { entry.xattrs.length_bytes = 1; },
      [](Entry& entry) { entry.sparse_map.length_bytes = 1; }};
  expect_all_compared(whole, changes);
}

}  // namespace
}  // namespace dgfs::test
