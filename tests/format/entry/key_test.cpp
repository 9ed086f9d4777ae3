// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "format/limits.h"
#include "tests/support/entry_generator.h"

namespace dgfs::test {
namespace {

using namespace std::string_literals;

TEST(Key, StandsForAPath) {  // F-100
  EXPECT_EQ(format::key_of_path("").value(), "\0"s);
  EXPECT_EQ(format::key_of_path("/").value(), "\0"s);
  EXPECT_EQ(format::key_of_path("name").value(), "\0name"s);
  EXPECT_EQ(format::key_of_path("a/b/name").value(), "a\0b\0\0name"s);
  EXPECT_EQ(format::key_of_path("//a/./b//name/").value(), "a\0b\0\0name"s);
}

TEST(Key, RefusesPathsThatNameNothing) {
  EXPECT_EQ(format::key_of_path("a/../b").error().kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(format::key_of_path("a\0b"s).error().kind(), ErrorKind::kInvalidArgument);
  EXPECT_TRUE(format::key_of_path(std::string(255, 'x')));
  EXPECT_EQ(format::key_of_path(std::string(256, 'x')).error().kind(), ErrorKind::kInvalidArgument);
  std::string deep;
  while (deep.size() < 65532) deep += "d/";
  EXPECT_EQ(format::key_of_path(deep + "ab").value().size(), 65535u);
  EXPECT_EQ(format::key_of_path(deep + "abc").error().kind(), ErrorKind::kLimit);
}

TEST(Key, RefusesStringsThatAreNoKeys) {  // F-101
  for (const auto& key :
       {""s, "name"s, "a\0"s, "a\0b"s, "a\0\0"s, "\0\0"s, "\0a\0"s, "a\0\0b\0"s, "\0a/b"s, "\0."s,
        "\0.."s, "..\0\0a"s, "a/b\0\0c"s, "\0"s + std::string(256, 'x')}) {
    EXPECT_FALSE(format::check_key(key)) << testing::PrintToString(key);
    EXPECT_FALSE(format::path_of_key(key)) << testing::PrintToString(key);
  }
}

TEST(Key, IsBounded) {  // F-103
  std::string directories;
  while (directories.size() < 65400) directories += std::string(99, 'd') + '\0';
  const auto key_of_bytes = [&](std::size_t bytes) {
    return directories + '\0' + std::string(bytes - directories.size() - 1, 'n');
  };
  EXPECT_TRUE(format::check_key(key_of_bytes(65535)));
  EXPECT_EQ(format::check_key(key_of_bytes(65536)).error().code(), 2102);
}

TEST(Key, PathsComeBack) {
  for (const auto* path : {"", "a", "a/b", "a/b/c", ".../..a/.b", "\xff\x01/\n"}) {
    const auto key = format::key_of_path(path).value();
    EXPECT_TRUE(format::check_key(key));
    EXPECT_EQ(format::path_of_key(key).value(), path);
  }
}

TEST(Key, ChildrenHaveThePrefixOfTheirDirectoryOnly) {  // F-102
  EXPECT_EQ(format::children_prefix("\0"s), "\0"s);
  EXPECT_EQ(format::children_prefix("\0a"s), "a\0\0"s);
  EXPECT_EQ(format::children_prefix("a\0\0b"s), "a\0b\0\0"s);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EntryGenerator generator(seed);
    std::string directory;
    for (int i = 0; i < 5; ++i) directory += generator.name(true) + "/";
    const auto name = generator.name(true);
    const auto key = format::key_of_path(directory + name).value();
    EXPECT_EQ(key, format::children_prefix(format::key_of_path(directory).value()) + name);
    EXPECT_EQ(format::name_of_key(key), name);
  }
}

TEST(Key, ComparesFromWhatIsSharedAlready) {
  const std::vector<std::string> texts = {"",      "a",       "ab", "abc",  "abd",
                                          "ab\0"s, "ab\xff"s, "b",  "\xff"s};
  for (const auto& a : texts) {
    for (const auto& b : texts) {
      const auto shared = format::shared_prefix_bytes(a, b);
      ASSERT_EQ(a.substr(0, shared), b.substr(0, shared));
      for (std::size_t known = 0; known <= shared; ++known) {
        auto received = known;
        const auto order = format::compare_from(a, b, received);
        EXPECT_EQ(order < 0, a < b);
        EXPECT_EQ(order == 0, a == b);
        EXPECT_EQ(received, shared);
      }
      const auto both = std::min(a.size(), b.size());
      EXPECT_TRUE(shared == both || a[shared] != b[shared]);
    }
  }
}

/// All entries of a directory are adjacent, before those of its subdirectories.
TEST(Key, OrderIsDepthFirst) {
  std::vector<std::string> paths = {"",      "b",       "z",      "b/c", "b/z",
                                    "b/c/a", "b/c/c/c", "b/c/c1", "z/a", "z/a/b",
                                    "b/c/c", "a.b",     "a",      "a/a", "a.b/x"};
  std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) {
    return format::key_of_path(a).value() < format::key_of_path(b).value();
  });
  const std::vector<std::string> expected = {"",      "a",      "a.b",     "b",   "z",
                                             "a/a",   "a.b/x",  "b/c",     "b/z", "b/c/a",
                                             "b/c/c", "b/c/c1", "b/c/c/c", "z/a", "z/a/b"};
  EXPECT_EQ(paths, expected);
}

TEST(Key, LinkKeysSortAsNumbers) {  // F-104
  EXPECT_EQ(format::link_key(0x0102030405060708), "\x01\x02\x03\x04\x05\x06\x07\x08");
  EXPECT_LT(format::link_key(255), format::link_key(256));
  EXPECT_LT(format::link_key(~std::uint64_t{0} >> 1), format::link_key(~std::uint64_t{0}));
}

TEST(Key, SharedPrefix) {
  EXPECT_EQ(format::shared_prefix_bytes("", "abc"), 0u);
  EXPECT_EQ(format::shared_prefix_bytes("abd", "abc"), 2u);
  EXPECT_EQ(format::shared_prefix_bytes("abc", "abc"), 3u);
  EXPECT_EQ(format::shared_prefix_bytes("abc", "abcd"), 3u);
}

}  // namespace
}  // namespace dgfs::test
