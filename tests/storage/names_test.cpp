// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/names.h"

#include <gtest/gtest.h>

#include "storage/env.h"
#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

TEST(Paths, SplitIntoParentAndName) {
  struct Case {
    const char* path;
    const char* parent;
    const char* name;
  };
  const Case cases[] = {{"a/b/c", "a/b", "c"}, {"c", ".", "c"},    {"/c", "/", "c"},
                        {"a/b/", "a", "b"},    {"a//b", "a", "b"}, {"//c", "/", "c"},
                        {"/", "/", "/"},       {"../c", "..", "c"}};
  for (const Case& one : cases) {
    EXPECT_EQ(parent_path(one.path), one.parent) << one.path;
    EXPECT_EQ(base_name(one.path), one.name) << one.path;
  }
}

TEST(Paths, JoinWithOneSlash) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("/", "b"), "/b");
  EXPECT_EQ(join_path("a", ""), "a");
  EXPECT_EQ(join_path("", "b"), "b");
}

TEST(Names, MayHaveAnyBytesButSlashAndNul) {
  EXPECT_TRUE(check_name("\xff\x01 \n", "d"));
  EXPECT_TRUE(check_name("...", "d"));
  EXPECT_TRUE(check_name(std::string(255, 'x'), "d"));
  EXPECT_FALSE(check_name("", "d"));
  EXPECT_TRUE(check_name_or_self("", "d"));
  EXPECT_FALSE(check_name_or_self("..", "d"));
}

TEST(OsError, MapsNumbersToKinds) {
  EXPECT_EQ(kind_of_errno(ENOENT), ErrorKind::kNotFound);
  EXPECT_EQ(kind_of_errno(EACCES), ErrorKind::kPermission);
  EXPECT_EQ(kind_of_errno(EPERM), ErrorKind::kPermission);
  EXPECT_EQ(kind_of_errno(EEXIST), ErrorKind::kExists);
  EXPECT_EQ(kind_of_errno(ENOTDIR), ErrorKind::kNotDirectory);
  EXPECT_EQ(kind_of_errno(EISDIR), ErrorKind::kIsDirectory);
  EXPECT_EQ(kind_of_errno(ELOOP), ErrorKind::kLoop);
  EXPECT_EQ(kind_of_errno(ENOSPC), ErrorKind::kNoSpace);
  EXPECT_EQ(kind_of_errno(EDQUOT), ErrorKind::kNoSpace);
  EXPECT_EQ(kind_of_errno(EMLINK), ErrorKind::kLimit);
  EXPECT_EQ(kind_of_errno(EIO), ErrorKind::kIo);
  EXPECT_EQ(kind_of_errno(ENOTEMPTY), ErrorKind::kIo);
}

TEST(Names, HiddenOnesFit) {
  const Buffer random = {0x01, 0xaf};
  EXPECT_EQ(hidden_name("image", random, "new"), ".image.01af.new");
  const std::string longest = hidden_name(std::string(kNameBytesMax, 'n'), random, "new");
  EXPECT_EQ(longest.size(), kNameBytesMax);
  EXPECT_TRUE(longest.ends_with("nn.01af.new"));
  EXPECT_TRUE(is_hidden_name_of(longest, std::string(kNameBytesMax, 'n'), "new"));
  EXPECT_TRUE(is_hidden_name_of(longest, std::string(kNameBytesMax - 3, 'n'), "new"));
}

TEST(Names, HiddenOnesAreKnown) {
  EXPECT_TRUE(is_hidden_name_of(".image.01af.new", "image", "new"));
  EXPECT_TRUE(is_hidden_name_of(".v.1.idx.01af.old", "v.1.idx", "old"));
  EXPECT_TRUE(is_hidden_name_of("..x.01af.tmp", ".x", "tmp"));
  for (const auto* name : {"", ".", "..", "...", "image", "image.01af.new", ".image", ".image.new",
                           ".image..new", ".image.01ag.new", ".image.01AF.new", ".images.01af.new",
                           ".imag.01af.new", ".01af.new", "..01af.new", ".image.x.01af.new"}) {
    EXPECT_FALSE(is_hidden_name_of(name, "image", "new")) << name;
  }
  EXPECT_FALSE(is_hidden_name_of("." + std::string(300, '.') + "0.new", "image", "new"));
}

}  // namespace
}  // namespace dgfs::storage
