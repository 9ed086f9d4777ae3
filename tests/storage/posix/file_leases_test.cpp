// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/file_leases.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "storage/original_file.h"
#include "storage/posix/env.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

namespace dgfs::storage {
namespace {

using Mode = OpenOptions::Mode;

// Opens a file as any program does, in a thread, and tells whether it had to wait.
class Opening {
 public:
  explicit Opening(const std::string& path)
      : thread_([this, path] {
          fd_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
          is_open_ = true;
        }) {}
  ~Opening() { thread_.join(); }
  [[nodiscard]] bool is_open_within(std::chrono::milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!is_open_ && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return is_open_;
  }

 private:
  UniqueFd fd_;
  std::atomic<bool> is_open_ = false;
  std::thread thread_;
};

class Leases : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b"}) {
      auto made = env_->open(place_ / name, {Mode::kCreateNew});
      ASSERT_TRUE(made);
    }
    file_ = env_->open(place_ / "a", {Mode::kReadWrite}).value();
    direct_ = env_->open(place_ / "b", {.mode = Mode::kReadWrite, .direct_writes = true}).value();
    const int fd = ::open((place_ / "a").c_str(), O_RDWR | O_CLOEXEC);
    file_.reset();
    const bool has_leases = ::fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
    ::close(fd);
    if (!has_leases) DGFS_SKIP("the file system of the temporary directory has no leases");
    file_ = env_->open(place_ / "a", {Mode::kReadWrite}).value();
  }
  [[nodiscard]] std::unique_ptr<FileLeases> start() {
    auto leases =
        FileLeases::start({file_.get(), direct_.get()}, [this] { return may_give_up_.load(); });
    EXPECT_TRUE(leases);
    return std::move(leases).value();
  }

  test::TempDir place_;
  std::unique_ptr<Env> env_ = make_posix_env();
  std::unique_ptr<File> file_;
  std::unique_ptr<File> direct_;
  std::atomic<bool> may_give_up_ = true;
};

constexpr std::chrono::milliseconds kSoon{5000};
constexpr std::chrono::milliseconds kAWhile{300};

TEST_F(Leases, AreGivenUpAtOnceWhileThatIsAllowed) {
  const auto leases = start();
  EXPECT_TRUE(Opening(place_ / "a").is_open_within(kSoon));
  EXPECT_TRUE(Opening(place_ / "b").is_open_within(kSoon));
}

TEST_F(Leases, AreKeptUntilTheFilesAreClosed) {
  auto leases = start();
  may_give_up_ = false;
  const Opening first(place_ / "a");
  const Opening second(place_ / "b");
  EXPECT_FALSE(first.is_open_within(kAWhile));
  EXPECT_FALSE(second.is_open_within(kAWhile));
  // A long write would need a second descriptor, for which the lease would have to end.
  EXPECT_TRUE(direct_->write_at(0, Buffer(1 << 20)));
  EXPECT_FALSE(second.is_open_within(kAWhile));
  leases.reset();
  EXPECT_FALSE(first.is_open_within(kAWhile));
  file_.reset();
  direct_.reset();
  EXPECT_TRUE(first.is_open_within(kSoon));
  EXPECT_TRUE(second.is_open_within(kSoon));
}

TEST_F(Leases, AreTakenAgainWhenTheOtherOpeningIsClosed) {
  const auto leases = start();
  { EXPECT_TRUE(Opening(place_ / "a").is_open_within(kSoon)); }
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  leases->keep();
  const Opening waiting(place_ / "a");
  EXPECT_FALSE(waiting.is_open_within(kAWhile));
  file_.reset();
}

TEST_F(Leases, AreTakenAgainAfterALongWrite) {
  const auto leases = start();
  const Buffer data(1 << 20, 'x');
  EXPECT_TRUE(direct_->write_at(0, data));
  may_give_up_ = false;
  const Opening waiting(place_ / "b");
  EXPECT_FALSE(waiting.is_open_within(kAWhile));
  Buffer read(1 << 20);
  EXPECT_EQ(direct_->read_at(0, MutableBytes(read)).value(), read.size());
  EXPECT_EQ(read, data);
  direct_.reset();
}

// A scan of a tree opens files so, and must not fail because of a lease.
TEST_F(Leases, OurOwnOpeningsWaitInsteadOfFailing) {
  const auto leases = start();
  EXPECT_TRUE(env_->open(place_ / "a"));
  EXPECT_TRUE(env_->open_directory(place_.path()).value()->open_file("b"));
}

TEST_F(Leases, TellWhetherAnotherOpeningExists) {
  EXPECT_FALSE(may_be_open_elsewhere(*file_));
  EXPECT_FALSE(may_be_open_elsewhere(*direct_));
  const auto other = env_->open(place_ / "a");
  EXPECT_TRUE(may_be_open_elsewhere(*file_));
}

TEST_F(Leases, AnIdentityStaysAndACopyHasAnother) {
  const auto identity = identity_of(*file_);
  if (!identity) DGFS_SKIP("files have no identity here");
  ASSERT_TRUE(env_->rename(place_ / "a", place_ / "c"));
  const auto again = env_->open(place_ / "c");
  EXPECT_EQ(identity_of(*again.value()), identity);
  EXPECT_NE(identity_of(*direct_), identity);
}

}  // namespace
}  // namespace dgfs::storage
