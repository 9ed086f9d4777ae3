// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads under way at once: each must end as read_at() does, whichever way it takes.
#include "storage/reads/queue.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "storage/posix/env.h"
#include "storage/posix/file.h"
#include "storage/reads/uring_reads.h"
#include "storage/testing/counting_env.h"
#include "storage/testing/faulty_env.h"
#include "tests/storage/env_fixture.h"
#include "tests/support/random.h"
#include "tests/support/skip.h"

namespace dgfs::test {
namespace {

using storage::ReadQueueOptions;

constexpr std::size_t kFileBytes = 1'000'003;  // not a multiple of any block

/// Memory aligned as O_DIRECT needs it.
struct Block {
  explicit Block(std::size_t size_bytes)
      : memory(static_cast<std::uint8_t*>(
            std::aligned_alloc(storage::kReadQueueAlignmentBytes,
                               (size_bytes / storage::kReadQueueAlignmentBytes + 1) *
                                   storage::kReadQueueAlignmentBytes))),
        bytes(memory.get(), size_bytes) {}
  struct Free {
    void operator()(std::uint8_t* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<std::uint8_t, Free> memory;
  MutableBytes bytes;
};

/// A way in which system files are read.
struct Way {
  bool io_uring = true;
  bool direct = true;
  unsigned depth = 32;
};

class ReadQueueTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (GetParam().io_uring && !storage::make_uring_reads(1)) {
      DGFS_SKIP("the system grants no io_uring");
    }
    Random random(11);
    content_ = random.bytes(kFileBytes);
    auto file = std::move(env_->open(dir_ / "f", {storage::OpenOptions::Mode::kCreateNew})).value();
    ASSERT_OK(file->write_at(0, content_));
    ASSERT_OK(file->sync());
    file_ = std::move(env_->open(dir_ / "f")).value();
  }
  [[nodiscard]] static std::unique_ptr<storage::ReadQueue> make_queue() {
    ReadQueueOptions options;
    options.io_uring = GetParam().io_uring;
    options.direct = GetParam().direct;
    options.depth = GetParam().depth;
    return storage::make_read_queue(options);
  }

  /// Makes more random reads of `file` than the queue has room for; each must give the bytes of an
  /// array.
  void expect_array(const storage::File& file, storage::ReadQueue& queue, std::uint64_t seed) {
    Random random(seed);
    struct Wanted {
      std::uint64_t offset = 0;
      Block block;
    };
    std::map<std::uint64_t, Wanted> wanted;
    const auto pop = [&] {
      const auto finished = queue.pop();
      const auto found = wanted.find(finished.tag);
      ASSERT_NE(found, wanted.end()) << "this read ended twice, or was never asked for";
      const auto& [offset, block] = found->second;
      const auto there = offset < kFileBytes ? kFileBytes - offset : 0;
      ASSERT_EQ(finished.count.value(), std::min<std::size_t>(block.bytes.size(), there));
      EXPECT_TRUE(
          std::equal(block.bytes.begin(),
                     block.bytes.begin() + static_cast<std::ptrdiff_t>(finished.count.value()),
                     content_.begin() +
                         static_cast<std::ptrdiff_t>(std::min<std::size_t>(offset, kFileBytes))));
      wanted.erase(found);
    };
    for (std::uint64_t tag = 0; tag < 300; ++tag) {
      const std::size_t unit = random.one_in(3) ? 1 : storage::kReadQueueAlignmentBytes;
      const auto offset = random.below(kFileBytes + 5000) / unit * unit;
      const auto length = std::max<std::uint64_t>(unit, random.below(40'000) / unit * unit);
      while (!queue.has_room()) pop();
      const auto& read = wanted.try_emplace(tag, Wanted{offset, Block(length)}).first->second;
      queue.push(file, offset, read.block.bytes, tag);
      EXPECT_EQ(queue.pending(), wanted.size());
    }
    while (queue.pending() > 0) pop();
    EXPECT_TRUE(wanted.empty());
  }

  TempDir dir_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  std::unique_ptr<storage::File> file_;
  Buffer content_;
};

TEST_P(ReadQueueTest, AgreesWithAnArray) {
  const auto queue = make_queue();
  EXPECT_STREQ(queue->engine(), "none");
  expect_array(*file_, *queue, 21);
  EXPECT_STREQ(queue->engine(), GetParam().io_uring ? "io_uring" : "threads");
}

TEST_P(ReadQueueTest, ReadsOtherFilesByTheirOwnMeans) {
  const auto counting = storage::make_counting_env(*env_);
  const auto file = std::move(counting->open(dir_ / "f")).value();
  const auto queue = make_queue();
  expect_array(*file, *queue, 22);
  EXPECT_STREQ(queue->engine(), "none");
  EXPECT_EQ(counting->counts(dir_ / "f").reads, 300U);
}

TEST_P(ReadQueueTest, TellsAnErrorOfTheReadThatHadIt) {
  // A directory can be opened, but every read of it fails.
  storage::PosixFile unreadable(
      storage::UniqueFd(::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      "unreadable");
  const auto queue = make_queue();
  Block bad(4096), good(4096);
  for (int round = 0; round < 3; ++round) {
    queue->push(unreadable, 4096, bad.bytes, 1);
    queue->push(*file_, 4096, good.bytes, 2);
    for (int i = 0; i < 2; ++i) {
      const auto finished = queue->pop();
      if (finished.tag == 2) {
        EXPECT_EQ(finished.count.value(), 4096U);
        continue;
      }
      ASSERT_FALSE(finished.count);
      EXPECT_EQ(finished.count.error().kind(), ErrorKind::kIo);
      EXPECT_EQ(finished.count.error().file(), "unreadable");
      EXPECT_EQ(finished.count.error().offset(), 4096U);
    }
  }
}

// Otherwise the kernel would write into memory that has another owner by then.
TEST_P(ReadQueueTest, EndsOnlyWhenAllReadsHave) {
  Block block(65536);
  std::fill(block.bytes.begin(), block.bytes.end(), std::uint8_t{0});
  {
    const auto queue = make_queue();
    queue->push(*file_, 0, block.bytes, 1);
  }
  EXPECT_TRUE(std::equal(block.bytes.begin(), block.bytes.end(), content_.begin()));
}

TEST_P(ReadQueueTest, ManyThreadsWithAQueueEach) {
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] { expect_array(*file_, *make_queue(), 30 + t); });
  }
  for (auto& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Ways, ReadQueueTest,
                         testing::Values(Way{true, true, 32}, Way{true, false, 5},
                                         Way{false, true, 32}, Way{false, false, 2}));

TEST(ReadQueue, DepthIsMovedIntoItsRange) {
  const auto memory = storage::make_memory_env(1);
  auto file = std::move(memory->open("/f", {storage::OpenOptions::Mode::kCreateNew})).value();
  ASSERT_OK(file->write_at(0, as_bytes("x")));
  ReadQueueOptions options;
  options.depth = 0;
  const auto queue = storage::make_read_queue(options);
  Buffer out(1);
  ASSERT_TRUE(queue->has_room());
  queue->push(*file, 0, out, 7);
  EXPECT_FALSE(queue->has_room());
  EXPECT_EQ(queue->pop().tag, 7U);
}

TEST(ReadQueue, FaultsHitTheReadsTheyAreMeantFor) {
  const auto memory = storage::make_memory_env(1);
  auto content = std::move(memory->open("/f", {storage::OpenOptions::Mode::kCreateNew})).value();
  ASSERT_OK(content->write_at(0, Buffer(100, 1)));
  const auto faulty = storage::make_faulty_env(*memory, 1);
  const auto file = std::move(faulty->open("/f")).value();
  faulty->arm({.kind = storage::FaultKind::kIoError, .at_call = 3, .sticky = false});
  const auto queue = storage::make_read_queue({});
  Buffer out(10);
  for (std::uint64_t tag = 1; tag <= 5; ++tag) queue->push(*file, 0, out, tag);
  for (std::uint64_t tag = 1; tag <= 5; ++tag) {
    const auto finished = queue->pop();
    EXPECT_EQ(finished.tag, tag);
    EXPECT_EQ(finished.count.has_value(), tag != 3);
  }
}

}  // namespace
}  // namespace dgfs::test
