// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// When an announced read polls. Bytes that are at hand need no waiting, so one poll gets them.
#include "storage/announced_reads.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

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
    const auto at_hand = ::preadv2(file_.get(), &whole, 1, 0, RWF_NOWAIT);
    // Some file systems refuse it; then no read gets anything by polling.
    if (at_hand > 0) at_hand_bytes_ = static_cast<std::size_t>(at_hand);
  }
  /// Bytes that a read at the begin of the file gets by polling.
  [[nodiscard]] std::size_t polled_bytes() {
    storage::AnnouncedReads::UnderWay own(reads_);
    Buffer out(kBytes);
    const std::array<MutableBytes, 1> spans = {MutableBytes(out)};
    storage::Scatter outs(spans);
    return own.poll(file_.get(), 0, outs);
  }

  TempDir dir_;
  storage::UniqueFd file_{::open((dir_ / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  std::size_t at_hand_bytes_ = 0;
  storage::AnnouncedReads reads_;
};

TEST_F(AnnouncedReads, ALoneOnePolls) {
  EXPECT_EQ(polled_bytes(), 0U) << "not announced";
  reads_.add(0, kBytes);
  EXPECT_EQ(polled_bytes(), at_hand_bytes_);
  EXPECT_EQ(polled_bytes(), 0U) << "an announcement serves one read";
}

TEST_F(AnnouncedReads, ALongOneDoesNotPoll) {
  reads_.add(0, storage::AnnouncedReads::kPolledBytesMax + 1);
  EXPECT_EQ(polled_bytes(), 0U);
  reads_.add(0, storage::AnnouncedReads::kPolledBytesMax);
  EXPECT_EQ(polled_bytes(), at_hand_bytes_);
}

TEST_F(AnnouncedReads, NonePollsBesideAnotherRead) {
  {
    const storage::AnnouncedReads::UnderWay other(reads_);
    reads_.add(0, kBytes);
    EXPECT_EQ(polled_bytes(), 0U);
  }
  reads_.add(0, kBytes);
  EXPECT_EQ(polled_bytes(), at_hand_bytes_);
}

}  // namespace
}  // namespace dgfs::test
