// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/original_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "storage/posix/env.h"
#include "storage/posix/unique_fd.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

namespace dgfs::storage {
namespace {

using Mode = OpenOptions::Mode;

class OriginalFileTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(env_->open(path_, {Mode::kCreateNew}));
    const UniqueFd probe(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    if (::fcntl(probe.get(), F_SETLEASE, F_WRLCK) != 0) DGFS_SKIP("files have no leases here");
  }
  [[nodiscard]] std::unique_ptr<File> open(OpenOptions options) {
    return env_->open(path_, options).value();
  }

  test::TempDir place_;
  const std::string path_ = place_ / "f";
  std::unique_ptr<Env> env_ = make_posix_env();
};

TEST_F(OriginalFileTest, KeepsItsIdentityAndACopyHasAnother) {
  const auto file = open({Mode::kReadWrite});
  const auto identity = identity_of(*file);
  if (!identity) DGFS_SKIP("files have no identity here");
  const auto copy = env_->open(place_ / "copy", {Mode::kCreateNew});
  EXPECT_NE(identity_of(*copy.value()), identity);
  ASSERT_TRUE(env_->rename(path_, place_ / "g"));
  EXPECT_EQ(identity_of(*env_->open(place_ / "g").value()), identity);
}

TEST_F(OriginalFileTest, KnowsOfItsOtherOpenings) {
  const auto file = open({Mode::kReadWrite});
  EXPECT_FALSE(may_be_open_elsewhere(*file));
  {
    const UniqueFd other(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_TRUE(may_be_open_elsewhere(*file));
  }
  EXPECT_FALSE(may_be_open_elsewhere(*file));
}

// A descriptor of its own for direct writes is no other opening.
TEST_F(OriginalFileTest, WithDirectWritesKnowsItToo) {
  const auto file = open({.mode = Mode::kReadWrite, .direct_writes = true});
  EXPECT_TRUE(file->write_at(0, Buffer(1 << 20)));
  EXPECT_FALSE(may_be_open_elsewhere(*file));
  EXPECT_TRUE(file->write_at(0, Buffer(1 << 20, 'x')));
  const auto other = open({Mode::kRead});
  EXPECT_TRUE(may_be_open_elsewhere(*file));
}

// grep -r and tar open files so, and a lease would refuse them.
TEST_F(OriginalFileTest, HoldsNobodyUpOnceItHasAnswered) {
  const auto file = open({Mode::kReadWrite});
  EXPECT_FALSE(may_be_open_elsewhere(*file));
  EXPECT_TRUE(UniqueFd(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)));
}

}  // namespace
}  // namespace dgfs::storage
