// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Many programs change a mount at once, for the thread sanitizer, and for checks of the tree that
// is left.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

constexpr int kThreads = 6;
constexpr int kRounds = 60;

// Runs `work(thread)` in all threads at once.
template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(work, thread);
  for (auto& thread : threads) thread.join();
}

class ViewThreads : public testing::Test {
 protected:
  void SetUp() override {
    DGFS_NEEDS_FUSE();
    source_.directory("base");
    for (int i = 0; i < 50; ++i) source_.file("base/f" + std::to_string(i), noise(5000, 1));
    source_.file("log", "");
    MountedImage::Options options;
    options.with_delta = true;
    mounted_ = std::make_unique<MountedImage>(source_, options);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return mounted_->path(name); }

  ScratchTree source_;
  std::unique_ptr<MountedImage> mounted_;
};

TEST_F(ViewThreads, EachKeepsAFileOfItsOwn) {
  in_threads([&](int thread) {
    const auto directory = path("own" + std::to_string(thread));
    ASSERT_EQ(::mkdir(directory.c_str(), 0755), 0);
    for (int round = 0; round < kRounds; ++round) {
      const auto name = directory + "/" + std::to_string(round % 7);
      const auto content = noise(static_cast<std::size_t>(100 * round + 1),
                                 static_cast<std::uint64_t>(thread * 1000 + round));
      const int fd = ::open(name.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0644);
      ASSERT_GE(fd, 0);
      ASSERT_EQ(::write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
      ::close(fd);
      EXPECT_EQ(slurp(name), content);
      if (round % 5 == 4) {
        EXPECT_EQ(::unlink(name.c_str()), 0);
      }
    }
  });
  EXPECT_EQ(mounted_->unmount(), 0);
}

TEST_F(ViewThreads, NamesThatAllWantGoToOneOfThem) {
  std::atomic<int> made = 0;
  std::atomic<int> moved = 0;
  in_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      const auto name = path("base/new" + std::to_string(round));
      const int fd = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0644);
      if (fd >= 0) {
        ++made;
        ::close(fd);
      } else {
        EXPECT_TRUE(errno == EEXIST || errno == ENOENT) << errno;
      }
      const auto other = path("moved" + std::to_string(round));
      if (::rename(name.c_str(), other.c_str()) == 0) ++moved;
    }
  });
  // A moved name may have been made again, so each was made at least once.
  EXPECT_GE(made, kRounds);
  EXPECT_GE(moved, kRounds);
  EXPECT_LE(moved, made.load());
  EXPECT_EQ(mounted_->unmount(), 0);
}

TEST_F(ViewThreads, LinesThatAreAppendedStayWhole) {
  in_threads([&](int thread) {
    const int fd = ::open(path("log").c_str(), O_WRONLY | O_APPEND);
    ASSERT_GE(fd, 0);
    const std::string line = std::string(99, static_cast<char>('a' + thread)) + "\n";
    for (int round = 0; round < kRounds; ++round) {
      ASSERT_EQ(::write(fd, line.data(), line.size()), static_cast<ssize_t>(line.size()));
      if (round % 20 == 19) {
        EXPECT_EQ(::fsync(fd), 0);
      }
    }
    ::close(fd);
  });
  const auto log = slurp(path("log"));
  ASSERT_EQ(log.size(), std::size_t{100} * kThreads * kRounds);
  for (std::size_t at = 0; at < log.size(); at += 100) {
    EXPECT_EQ(log.substr(at, 99), std::string(99, log[at]));
    EXPECT_EQ(log[at + 99], '\n');
  }
  EXPECT_EQ(mounted_->unmount(), 0);
}

TEST_F(ViewThreads, ReadersFindOldOrNewContents) {
  const auto before = noise(5000, 1);
  const auto after = noise(5000, 2);
  in_threads([&](int thread) {
    for (int i = 0; i < 50; ++i) {
      const auto name = path("base/f" + std::to_string(i));
      if (thread == 0) {
        const auto fresh = name + ".tmp";
        const int fd = ::open(fresh.c_str(), O_CREAT | O_WRONLY, 0644);
        ASSERT_GE(fd, 0);
        ASSERT_EQ(::write(fd, after.data(), after.size()), static_cast<ssize_t>(after.size()));
        ::close(fd);
        ASSERT_EQ(::rename(fresh.c_str(), name.c_str()), 0);
      } else {
        const auto found = slurp(name);
        EXPECT_TRUE(found == before || found == after) << name;
      }
    }
  });
  EXPECT_EQ(mounted_->unmount(), 0);
}

}  // namespace
}  // namespace dgfs::test
