// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Direct I/O takes any offset, length and buffer, and agrees with a plain array.
#include <algorithm>
#include <array>

#include "storage/posix/env.h"
#include "storage/posix/transfer.h"
#include "tests/storage/env_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kFileBytes = 3 << 20;

class DirectFile : public testing::Test {
 protected:
  void write(std::uint64_t offset, Bytes data) {
    ASSERT_OK(file_->write_at(offset, data));
    if (data.empty()) return;  // an empty write does not lengthen the file
    if (model_.size() < offset + data.size()) model_.resize(offset + data.size());
    std::copy(data.begin(), data.end(), model_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void expect_read(std::uint64_t offset, std::size_t front, std::size_t back) {
    Buffer one(front), two(back);
    const std::array<MutableBytes, 2> outs{one, two};
    const std::size_t count = file_->read_at(offset, outs).value();
    one.insert(one.end(), two.begin(), two.end());
    const std::size_t there = offset < model_.size() ? model_.size() - offset : 0;
    ASSERT_EQ(count, std::min(front + back, there)) << offset;
    ASSERT_TRUE(std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(count),
                           model_.begin() + static_cast<std::ptrdiff_t>(count ? offset : 0)))
        << offset << " " << front << " " << back;
  }

  TempDir dir_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  std::unique_ptr<storage::File> file_ =
      std::move(env_->open(dir_ / "f", {storage::OpenOptions::Mode::kCreateNew, true})).value();
  Buffer model_;
};

TEST_F(DirectFile, AgreesWithAnArray) {
  Random random(20240501);
  for (int step = 0; step < 150; ++step) {
    const std::size_t unit = random.one_in(2) ? storage::kDirectAlignmentBytes : 1;
    const std::uint64_t offset = random.below(kFileBytes) / unit * unit;
    const std::size_t length = random.below(random.one_in(8) ? 2 << 20 : 20000) / unit * unit;
    if (random.one_in(2)) {
      write(offset, random.bytes(length));
    } else {
      expect_read(offset, random.below(length + 1), length);
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(file_->size().value(), model_.size());
  // Reads the same bytes through the page cache.
  Buffer cached(model_.size());
  ASSERT_OK(read_exactly(*std::move(env_->open(dir_ / "f")).value(), 0, cached));
  EXPECT_EQ(cached, model_);
}

TEST_F(DirectFile, ReadsAlignedMemoryAtTheUnalignedEnd) {
  write(0, Buffer(storage::kDirectAlignmentBytes + 10, 3));
  alignas(storage::kDirectAlignmentBytes) static std::array<std::uint8_t, 16384> memory;
  EXPECT_EQ(file_->read_at(0, memory).value(), storage::kDirectAlignmentBytes + 10);
  EXPECT_EQ(memory[storage::kDirectAlignmentBytes + 9], 3);
  EXPECT_EQ(file_->read_at(8192, memory).value(), 0U);
}

}  // namespace
}  // namespace dgfs::test
