// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Features of the real system alone.
#include "storage/posix/env.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "storage/posix/direct_writes.h"
#include "storage/posix/hidden.h"
#include "storage/posix/new_file.h"
#include "tests/storage/env_fixture.h"

namespace dgfs::test {
namespace {

class PosixEnvTest : public testing::Test {
 protected:
  /// Makes "file" with 60,000 bytes that show their place. Returns them.
  std::string publish_letters() {
    std::string content;
    for (int i = 0; i < 60'000; ++i) content += static_cast<char>('a' + i % 26 + i / 5000);
    const auto file = std::move(env_->create_unnamed(dir_.path())).value();
    EXPECT_TRUE(file->write_at(0, as_bytes(content)));
    EXPECT_TRUE(env_->publish(*file, dir_ / "file"));
    return content;
  }

  TempDir dir_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
};

// As on a file system without O_TMPFILE: an unlinked file gets no new link, so it is copied.
TEST_F(PosixEnvTest, PublishCopiesAFileThatCannotBeLinked) {
  const std::string hidden = dir_ / "hidden";
  storage::UniqueFd fd(::open(hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0777));
  ASSERT_TRUE(fd);
  ASSERT_OK(env_->remove(hidden));
  storage::PosixFile file(std::move(fd), "(unnamed)");
  ASSERT_OK(file.write_at(1 << 20, as_bytes("after a hole")));
  ASSERT_OK(env_->publish(file, dir_ / "out"));
  const auto status = env_->status(dir_ / "out").value();
  EXPECT_EQ(status.size_bytes, (1U << 20) + 12);
  EXPECT_LT(status.allocated_bytes, 1U << 20);
  EXPECT_EQ(status.inode, file.status().value().inode);
  ASSERT_OK(file.write_at(0, as_bytes("through the same File")));
  Buffer bytes(21);
  ASSERT_OK(read_exactly(*std::move(env_->open(dir_ / "out")).value(), 0, bytes));
  EXPECT_EQ(as_text(bytes), "through the same File");
  EXPECT_EQ(std::move(env_->open_directory(dir_.path())).value()->list().value().size(), 1U);
}

// The mode of a copy is that of a linked file: as asked for, without the bits that the umask takes.
TEST_F(PosixEnvTest, ACopyHasTheModeThatItWasPublishedWith) {
  ASSERT_TRUE(env_->open(dir_ / "usual", {storage::OpenOptions::Mode::kCreateNew}));
  const auto usual = env_->status(dir_ / "usual").value().mode;
  for (const std::uint32_t mode : {0600U, 0666U}) {
    const std::string hidden = dir_ / "hidden";
    storage::UniqueFd fd(::open(hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    ASSERT_TRUE(fd);
    ASSERT_OK(env_->remove(hidden));
    storage::PosixFile file(std::move(fd), "(unnamed)");
    ASSERT_OK(env_->publish(file, dir_ / "out", mode));
    EXPECT_EQ(env_->status(dir_ / "out").value().mode, mode == 0600 ? 0100600U : usual);
    EXPECT_EQ(std::move(env_->open_directory(dir_.path())).value()->list().value().size(), 2U);
  }
}

// Later writes must go to the copy.
TEST_F(PosixEnvTest, WritesPastTheCacheGoToTheCopyOncePublished) {
  const std::string hidden = dir_ / "hidden";
  storage::UniqueFd fd(::open(hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0777));
  ASSERT_TRUE(fd);
  ASSERT_OK(env_->remove(hidden));
  storage::PosixFile file(std::move(fd), "(unnamed)");
  storage::write_past_cache(file);
  Buffer content(1 << 20, 1);
  ASSERT_OK(file.write_at(0, content));
  ASSERT_OK(env_->publish(file, dir_ / "f"));
  std::fill_n(content.begin(), content.size() / 2, std::uint8_t{2});
  ASSERT_OK(file.write_at(0, Bytes(content).first(content.size() / 2)));
  Buffer there(content.size());
  ASSERT_OK(read_exactly(*std::move(env_->open(dir_ / "f")).value(), 0, there));
  EXPECT_EQ(there, content);
}

// A process may choose any name, even one with control sequences of a terminal.
TEST_F(PosixEnvTest, NamesWhoHasALockInWhatATerminalCanShow) {
  publish_letters();
  std::array<char, 16> name{};
  ASSERT_EQ(::prctl(PR_GET_NAME, name.data()), 0);
  ASSERT_EQ(::prctl(PR_SET_NAME, "a\033[31m\xc2\x9b"), 0);
  const auto file = std::move(env_->open(dir_ / "file", {})).value();
  EXPECT_TRUE(file->lock_holders().empty());
  ASSERT_OK(file->lock());
  const auto holders = std::move(env_->open(dir_ / "file", {})).value()->lock_holders();
  ASSERT_EQ(::prctl(PR_SET_NAME, name.data()), 0);
  ASSERT_EQ(holders.size(), 1U);
  EXPECT_EQ(holders[0].process, static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(holders[0].command, "a?[31m??");
}

// The first read after an announcement takes another way to the same bytes.
TEST_F(PosixEnvTest, AnnouncedReadsGiveWhatOthersGive) {
  const std::string content = publish_letters();
  for (const bool direct : {false, true}) {
    const auto file = std::move(env_->open(dir_ / "file", {.direct = direct})).value();
    for (const std::size_t begin : {0U, 4095U, 59'990U, 60'000U, 70'000U}) {
      file->advise(storage::Access::kDontNeed, 0, 0);
      file->advise(storage::Access::kWillNeed, begin, 9000);
      for (int repeat = 0; repeat < 2; ++repeat) {
        Buffer head(8);
        Buffer tail(9000 - 8);
        const std::array<MutableBytes, 2> spans = {MutableBytes(head), MutableBytes(tail)};
        const auto count = file->read_at(begin, spans);
        ASSERT_OK(count);
        const auto left = begin < content.size() ? content.size() - begin : 0;
        ASSERT_EQ(count.value(), std::min<std::size_t>(9000, left)) << begin;
        const auto text =
            (std::string(as_text(head)) + std::string(as_text(tail))).substr(0, count.value());
        EXPECT_TRUE(text == content.substr(content.size() - left, count.value())) << begin;
      }
    }
  }
}

// The system decides which bytes are at hand; they must equal those of other reads.
TEST_F(PosixEnvTest, WhatIsAtHandIsWhatOthersRead) {
  const std::string content = publish_letters();
  const auto file = std::move(env_->open(dir_ / "file", {})).value();
  const storage::UniqueFd fd(::open((dir_ / "file").c_str(), O_RDONLY | O_CLOEXEC));
  for (const std::size_t begin : {0U, 4095U, 59'990U}) {
    Buffer out(9000);
    ASSERT_OK(file->read_at(begin, out));
    const iovec whole{out.data(), out.size()};
    const auto expected = ::preadv2(fd.get(), &whole, 1, static_cast<off_t>(begin), RWF_NOWAIT);
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    const auto count = file->read_at_hand(begin, out);
    EXPECT_EQ(count, expected > 0 ? static_cast<std::size_t>(expected) : 0) << begin;
    EXPECT_LE(count, content.size() - begin);
    EXPECT_TRUE(as_text(out).substr(0, count) == content.substr(begin, count)) << begin;
  }
  Buffer out(9000);
  EXPECT_EQ(file->read_at_hand(content.size(), out), 0U);
  EXPECT_EQ(file->read_at_hand(std::uint64_t{1} << 63, out), 0U);
  const auto direct = std::move(env_->open(dir_ / "file", {.direct = true})).value();
  // Some file systems serve direct reads in this way, too.
  const auto count = direct->read_at_hand(0, out);
  EXPECT_TRUE(as_text(out).substr(0, count) == content.substr(0, count));
}

TEST_F(PosixEnvTest, PublishedFilesObeyTheUmask) {
  const mode_t before = ::umask(027);
  const auto file = std::move(env_->create_unnamed(dir_.path())).value();
  ::umask(before);
  ASSERT_OK(env_->publish(*file, dir_ / "out"));
  EXPECT_EQ(env_->status(dir_ / "out").value().mode, 0100640U);
}

// As on a file system without O_TMPFILE.
TEST_F(PosixEnvTest, NewFilesWithAHiddenNameAppearCompleteToo) {
  const storage::UniqueFd directory(
      ::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(directory);
  const auto names = [&] {
    return std::move(env_->open_directory(dir_.path())).value()->list().value();
  };
  const auto make = [&] {
    return std::move(storage::posix_create_new_hidden(directory.get(), dir_.path(), "out", 0600))
        .value();
  };
  {
    const auto file = make();
    ASSERT_EQ(names().size(), 1U);
    EXPECT_TRUE(names()[0].starts_with(".new."));
    ASSERT_OK(file->content().write_at(0, as_bytes("x")));
    ASSERT_OK(file->link());
    EXPECT_EQ(names(), std::vector<std::string>{"out"});
    EXPECT_FAILS(ErrorKind::kExists, make()->link());
  }
  EXPECT_EQ(names(), std::vector<std::string>{"out"});
}

TEST_F(PosixEnvTest, SeesTheEnvironmentOfTheProcess) {
  EXPECT_TRUE(env_->variable("PATH").has_value());
  EXPECT_GT(env_->now().seconds, 1'700'000'000);
}

}  // namespace
}  // namespace dgfs::test
