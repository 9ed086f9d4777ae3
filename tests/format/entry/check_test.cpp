// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Breaks each rule of entries with one field of an otherwise sound entry, and tries the last values
// that the rules allow.
#include "format/entry/check.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::test {
namespace {

using format::Entry;

constexpr std::uint32_t kFile = format::kTypeRegular | 0644;
constexpr std::uint32_t kFifo = format::kTypeFifo | 0600;
constexpr std::uint32_t kDevice = format::kTypeCharacterDevice | 0600;
constexpr std::uint32_t kLink = format::kTypeSymlink | 0777;
constexpr std::uint32_t kFolder = format::kTypeDirectory | 0755;
constexpr std::uint64_t kTooLarge = format::kFileBytesMax + 1;
constexpr std::uint32_t kSecond = 1'000'000'000;
constexpr format::SideRef kFarRef{format::kFileBytesMax, 1};
constexpr format::SideRef kRef{format::kFileBytesMax - 8, 8};

struct EntryCase {
  const char* name;
  std::uint32_t mode;
  std::function<void(Entry&)> change;
  std::uint16_t code = 0;  // 0: sound
};

Entry entry_of(const EntryCase& tested) {
  Entry entry;
  entry.key = "k";
  entry.mode = tested.mode;
  if (format::is_symlink(tested.mode)) {
    entry.target = "there";
    entry.size_bytes = entry.target.size();
  }
  tested.change(entry);
  return entry;
}

void expect_answers(std::span<const EntryCase> cases) {
  for (const auto& tested : cases) {
    const auto status = format::check_entry(entry_of(tested));
    EXPECT_EQ(status ? 0 : status.error().code(), tested.code) << tested.name;
  }
}

void make_long(Entry& entry, std::uint64_t bytes) {
  entry.target.clear();
  entry.long_target = kRef;
  entry.size_bytes = bytes;
}

void make_name(Entry& entry) {
  entry.link_inode = 7;
  entry.mode = format::type_of(entry.mode);
}

TEST(EntryCheck, OfAnyType) {
  const std::array cases = {
      EntryCase{"mode 0", 0, [](Entry&) {}, 2189},
      EntryCase{"mtime", kFile, [](Entry& e) { e.mtime.nanoseconds = kSecond; }, 2190},
      EntryCase{"ctime", kFile,
                [](Entry& e) {
                  e.ctime = Time{0, kSecond};
                },
                2190},
      EntryCase{"atime", kFile,
                [](Entry& e) {
                  e.atime = Time{0, kSecond};
                },
                2190},
      EntryCase{"times", kFile,
                [](Entry& e) {
                  e.atime = e.ctime = Time{-1, kSecond - 1};
                }},
      EntryCase{"far xattrs", kFile, [](Entry& e) { e.xattrs = kFarRef; }, 2191},
      EntryCase{"far map", kFile, [](Entry& e) { e.sparse_map = kFarRef; }, 2191},
      EntryCase{"far target", kLink, [](Entry& e) { e.long_target = kFarRef; }, 2191},
      EntryCase{"place of nothing", kFile,
                [](Entry& e) {
                  e.xattrs = {1, 0};
                },
                2191},
      EntryCase{"last xattrs", kFolder, [](Entry& e) { e.xattrs = kRef; }},
      EntryCase{"file of a device", kFile, [](Entry& e) { e.rdev = 1; }, 2192},
      EntryCase{"device", kDevice, [](Entry& e) { e.rdev = 1; }}};
  expect_answers(cases);
}

TEST(EntryCheck, OfContents) {
  const std::array cases = {
      EntryCase{"size", kFile, [](Entry& e) { e.size_bytes = kTooLarge; }, 2181},
      EntryCase{"stored", kFile, [](Entry& e) { e.stored_bytes = kTooLarge; }, 2182},
      EntryCase{"end", kFile,
                [](Entry& e) {
                  e.stored_bytes = 1;
                  e.address = format::DataAddress{0, format::kFileBytesMax};
                },
                2182},
      EntryCase{"last end", kFile,
                [](Entry& e) {
                  e.stored_bytes = 1;
                  e.address = format::DataAddress{3, format::kFileBytesMax - 1};
                }},
      EntryCase{"codec", kFile, [](Entry& e) { e.codec = static_cast<format::ExtentCodec>(2); },
                2183},
      EntryCase{"stored fifo", kFifo, [](Entry& e) { e.stored_bytes = 1; }, 2184},
      EntryCase{"placed fifo", kFifo, [](Entry& e) { e.address = format::DataAddress{}; }, 2184},
      EntryCase{"fifo with holes", kFifo, [](Entry& e) { e.sparse_map = kRef; }, 2184},
      EntryCase{"packed fifo", kFifo, [](Entry& e) { e.codec = format::ExtentCodec::kZstd; }, 2184},
      EntryCase{"fifo's size", kFifo, [](Entry& e) { e.size_bytes = 1; }, 2185}};
  expect_answers(cases);
}

TEST(EntryCheck, OfTargets) {
  constexpr auto kInline = format::kInlineTargetBytesMax;
  const std::array cases = {
      EntryCase{"file's target", kFile, [](Entry& e) { e.target = "x"; }, 2186},
      EntryCase{"file's long target", kFile, [](Entry& e) { e.long_target = kRef; }, 2186},
      EntryCase{"short", kLink, [](Entry& e) { make_long(e, kInline); }, 2187},
      EntryCase{"shortest", kLink, [](Entry& e) { make_long(e, kInline + 1); }},
      EntryCase{"longest", kLink, [](Entry& e) { make_long(e, format::kTargetBytesMax); }},
      EntryCase{"long", kLink, [](Entry& e) { make_long(e, format::kTargetBytesMax + 1); }, 2187},
      EntryCase{"both", kLink,
                [](Entry& e) {
                  make_long(e, kInline + 1);
                  e.target = "x";
                },
                2187},
      EntryCase{"none", kLink,
                [](Entry& e) {
                  e.target.clear();
                  e.size_bytes = 0;
                },
                2188},
      EntryCase{"beyond the entry", kLink,
                [](Entry& e) {
                  e.target.assign(kInline + 1, 'x');
                  e.size_bytes = e.target.size();
                },
                2188},
      EntryCase{"another size", kLink, [](Entry& e) { ++e.size_bytes; }, 2188},
      EntryCase{"a zero byte", kLink, [](Entry& e) { e.target[1] = '\0'; }, 2188},
      EntryCase{"sound", kLink, [](Entry&) {}}};
  expect_answers(cases);
}

TEST(EntryCheck, OfNamesOfLinks) {
  const std::array cases = {
      EntryCase{"file", kFile, make_name},
      EntryCase{"fifo", kFifo, make_name},
      EntryCase{"folder", kFolder, make_name, 2180},
      EntryCase{"permissions", kFile, [](Entry& e) { e.link_inode = 7; }, 2180},
      EntryCase{"place in the sum", kFile,
                [](Entry& e) {
                  make_name(e);
                  e.stored_bytes = 5;
                }},
      EntryCase{"fifo in the sum", kFifo,
                [](Entry& e) {
                  make_name(e);
                  e.stored_bytes = 5;
                },
                2180},
      EntryCase{"owner", kFile,
                [](Entry& e) {
                  make_name(e);
                  e.uid = 5;
                },
                2180}};
  expect_answers(cases);
}

TEST(EntryCheck, NamesOfLinksHaveNoAttribute) {
  const std::array<std::function<void(Entry&)>, 18> attributes = {
      [](Entry& e) { e.mode |= 0400; },
      [](Entry& e) { e.uid = 1; },
      [](Entry& e) { e.gid = 1; },
      [](Entry& e) { e.mtime.seconds = 1; },
      [](Entry& e) { e.mtime.nanoseconds = 1; },
      [](Entry& e) { e.ctime = Time(); },
      [](Entry& e) { e.atime = Time(); },
      [](Entry& e) { e.size_bytes = 1; },
      [](Entry& e) { e.codec = format::ExtentCodec::kZstd; },
      [](Entry& e) { e.address = format::DataAddress(); },
      [](Entry& e) { e.link_count = 1; },
      [](Entry& e) { e.rdev = 1; },
      [](Entry& e) { e.target = "x"; },
      [](Entry& e) { e.long_target = kRef; },
      [](Entry& e) { e.xattrs = kRef; },
      [](Entry& e) { e.xattrs.offset_bytes = 1; },
      [](Entry& e) { e.sparse_map = kRef; },
      [](Entry& e) { e.sparse_map.length_bytes = 9; }};
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    Entry name;
    name.key = "k";
    name.mode = format::kTypeRegular;
    name.link_inode = 7;
    EXPECT_TRUE(format::check_entry(name));
    attributes[i](name);
    const auto status = format::check_entry(name);
    ASSERT_FALSE(status) << "attribute " << i;
    EXPECT_EQ(status.error().code(), 2180) << "attribute " << i;
  }
}

// The error that the builder gets about a page, whatever its codec.
TEST(EntryCheck, OfSeveral) {
  const auto file = [](std::string key) {
    Entry entry;
    entry.mode = kFile;
    entry.key = std::move(key);
    return entry;
  };
  std::array<Entry, 2> entries = {file("ka"), file("kb")};
  const auto code = [&](std::size_t prefix_bytes) {
    const auto status = format::check_entries(entries, prefix_bytes);
    return status ? 0 : status.error().code();
  };
  EXPECT_EQ(code(2), 0);
  EXPECT_EQ(code(3), 2193);
  std::swap(entries[0].key, entries[1].key);
  EXPECT_EQ(code(0), 2193);
  entries[0].key = entries[1].key;
  EXPECT_EQ(code(0), 2193);
  entries[1].key += "c";
  entries[0].stored_bytes = format::kFileBytesMax;
  EXPECT_EQ(code(0), 0);
  entries[1].stored_bytes = 1;
  EXPECT_EQ(code(0), 2194);
  entries[1].address = format::DataAddress{};
  EXPECT_EQ(code(0), 0);
  entries[1].mode = 0;
  EXPECT_EQ(code(0), 2189);
}

}  // namespace
}  // namespace dgfs::test
