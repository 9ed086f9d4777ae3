// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Statistics of a mount, as an extended attribute of its root that no list shows.
#include <gtest/gtest.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

constexpr const char* kName = "user.dgfs.stats";

std::string statistics_of(const std::string& path) {
  std::string value(65536, '\0');
  const auto length = ::getxattr(path.c_str(), kName, value.data(), value.size());
  if (length < 0) return "";
  value.resize(static_cast<std::size_t>(length));
  return value;
}

// The number after the last key; each key is searched behind the one before.
std::uint64_t number(const std::string& json, std::initializer_list<std::string> keys) {
  std::size_t at = 0;
  for (const auto& key : keys) {
    at = json.find("\"" + key + "\":", at);
    if (at == std::string::npos) {
      ADD_FAILURE() << key << " is not in " << json;
      return 0;
    }
    at += key.size() + 3;
  }
  return std::strtoull(json.c_str() + at, nullptr, 10);
}

class FuseStatistics : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    DGFS_NEEDS_FUSE();
    for (int i = 0; i < 20; ++i) source_.file(std::to_string(i), noise(5000, 1));
    if (GetParam()) source_.xattr("1", "user.some", "x");
    mounted_ = std::make_unique<MountedImage>(source_);
  }

  ScratchTree source_;
  std::unique_ptr<MountedImage> mounted_;
};

TEST_P(FuseStatistics, CountWhatHappened) {
  const auto before = statistics_of(mounted_->path());
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(number(before, {"read", "count"}), 0u);
  for (int i = 0; i < 20; ++i) (void)slurp(mounted_->path(std::to_string(i)));
  const auto after = statistics_of(mounted_->path());
  EXPECT_EQ(number(after, {"read", "count"}), 20u);
  EXPECT_EQ(number(after, {"read", "failed"}), 0u);
  EXPECT_EQ(number(after, {"lookup", "count"}) - number(before, {"lookup", "count"}), 20u);
  EXPECT_EQ(number(after, {"content_bytes"}), 100'000u);
  EXPECT_EQ(number(after, {"device", "data", "reads"}), 20u);
  EXPECT_EQ(number(after, {"device", "data", "bytes"}), 20u * (5000 + 8));
  EXPECT_GT(number(after, {"page_cache", "hits"}), 0u);
  EXPECT_EQ(number(after, {"errors"}), 0u);
  const auto p50_ns = number(after, {"read", "p50_ns"});
  const auto p99_ns = number(after, {"read", "p99_ns"});
  EXPECT_GT(p50_ns, 1000u);
  EXPECT_GE(p99_ns, p50_ns);
  EXPECT_LT(p99_ns, 60'000'000'000u);
  EXPECT_TRUE(after.starts_with("{") && after.ends_with("}"));
}

TEST_P(FuseStatistics, OnlyTheRootHasThemAndNoListShowsThem) {
  EXPECT_EQ(::getxattr(mounted_->path("1").c_str(), kName, nullptr, 0), -1);
  EXPECT_TRUE(errno == ENODATA || errno == EOPNOTSUPP);
  char buffer[1000];
  const auto length = ::listxattr(mounted_->path().c_str(), buffer, sizeof buffer);
  EXPECT_LE(length, 0);
  EXPECT_FALSE(statistics_of(mounted_->path()).empty())
      << "the statistics are there after a refused list, too";
}

TEST_P(FuseStatistics, TheAnnouncedSizeIsEnough) {
  const auto size = ::getxattr(mounted_->path().c_str(), kName, nullptr, 0);
  ASSERT_GT(size, 0);
  for (int i = 0; i < 20; ++i) (void)slurp(mounted_->path(std::to_string(i)));
  std::string value(static_cast<std::size_t>(size), '\0');
  EXPECT_GT(::getxattr(mounted_->path().c_str(), kName, value.data(), value.size()), 0);
  EXPECT_EQ(::getxattr(mounted_->path().c_str(), kName, value.data(), 10), -1);
  EXPECT_EQ(errno, ERANGE);
}

TEST_P(FuseStatistics, FailuresAreCounted) {
  ASSERT_EQ(::truncate(mounted_->image_path().c_str(), 8192), 0);
  for (int i = 0; i < 20; ++i) (void)slurp(mounted_->path(std::to_string(i)));
  const auto after = statistics_of(mounted_->path());
  EXPECT_GT(number(after, {"read", "failed"}), 15u);
  EXPECT_GT(number(after, {"errors"}), 15u);
  EXPECT_EQ(mounted_->unmount(), 0);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutXattrs, FuseStatistics, testing::Bool());

}  // namespace
}  // namespace dgfs::test
