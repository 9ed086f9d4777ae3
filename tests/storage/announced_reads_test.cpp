// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// When an announced read polls. Bytes that are at hand need no waiting, so one poll gets them.
#include "storage/announced_reads.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "storage/posix/unique_fd.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kBytes = 8192;

class AnnouncedReads : public testing::Test {
 protected:
  void SetUp() override {
    const std::string content(kBytes, 'x');
    ASSERT_EQ(::pwrite(file_.get(), content.data(), kBytes, 0), static_cast<ssize_t>(kBytes));
    Buffer out(kBytes);
    const iovec whole{out.data(), out.size()};
    at_hand_ = ::preadv2(file_.get(), &whole, 1, 0, RWF_NOWAIT);
  }
  /// Bytes that a read at the begin of the file gets by polling.
  [[nodiscard]] std::size_t polled_bytes() {
    Buffer out(kBytes);
    const std::array<MutableBytes, 1> spans = {MutableBytes(out)};
    storage::Scatter outs(spans);
    return reads_.read(file_.get(), 0, outs);
  }

  TempDir dir_;
  storage::UniqueFd file_{::open((dir_ / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  ssize_t at_hand_ = 0;
  storage::AnnouncedReads reads_;
};

TEST_F(AnnouncedReads, ALoneOnePolls) {
  const storage::AnnouncedReads::UnderWay own(reads_);
  EXPECT_EQ(polled_bytes(), 0U) << "not announced";
  reads_.add(0);
  EXPECT_EQ(polled_bytes(), static_cast<std::size_t>(std::max<ssize_t>(at_hand_, 0)));
  EXPECT_EQ(polled_bytes(), 0U) << "an announcement serves one read";
}

TEST_F(AnnouncedReads, NonePollsBesideAnotherRead) {
  const storage::AnnouncedReads::UnderWay own(reads_);
  {
    const storage::AnnouncedReads::UnderWay other(reads_);
    reads_.add(0);
    EXPECT_EQ(polled_bytes(), 0U);
  }
  reads_.add(0);
  EXPECT_EQ(polled_bytes(), static_cast<std::size_t>(std::max<ssize_t>(at_hand_, 0)));
}

}  // namespace
}  // namespace dgfs::test
