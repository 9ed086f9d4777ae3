// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/append_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/memory/env.h"
#include "tests/support/hook_env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using builder::AppendFile;

constexpr std::size_t kBegin = AppendFile::kBlockBytes;

/// Wraps a file and records where it is written.
class WriteObserver final : public storage::CallObserver {
 public:
  Status write(storage::File& file, std::uint64_t offset_bytes, Bytes data,
               const std::string& /*path*/) override {
    const auto address = reinterpret_cast<std::uintptr_t>(data.data());
    if ((offset_bytes | data.size() | address) % AppendFile::kBlockBytes != 0) ++unaligned;
    largest_bytes = std::max(largest_bytes, data.size());
    return file.write_at(offset_bytes, data);
  }

  std::size_t unaligned = 0;
  std::size_t largest_bytes = 0;
};

class AppendFileTest : public testing::Test {
 protected:
  /// Appends the bytes, in place if asked, and records the expected contents of the file.
  void append(std::size_t count, bool in_place, std::size_t begin) {
    const Buffer bytes = random_.bytes(count);
    if (in_place) {
      memory_.reserve(AppendFile::memory_bytes(count));
      std::copy(bytes.begin(), bytes.end(), memory_.first(begin + count).subspan(begin).begin());
      ASSERT_TRUE(appender_.append_in_place(memory_, begin, count));
    } else {
      ASSERT_TRUE(appender_.append(bytes));
    }
    model_.insert(model_.end(), bytes.begin(), bytes.end());
    ASSERT_EQ(appender_.position(), model_.size());
  }
  void expect_file() {
    ASSERT_TRUE(appender_.flush());
    Buffer bytes(static_cast<std::size_t>(file_->size().value()));
    ASSERT_TRUE(storage::read_exactly(*file_, 0, bytes));
    bytes.resize(std::min(bytes.size(), model_.size()));  // a tail that was rewound may follow
    EXPECT_EQ(bytes, model_);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  WriteObserver observer_;
  std::unique_ptr<storage::File> file_ =
      storage::wrap_file(env_->create_unnamed("/").value(), observer_);
  AppendFile appender_{*file_, kBegin, std::size_t{1} << 16};
  storage::AlignedMemory memory_;
  Random random_{20261121};
  Buffer model_ = Buffer(kBegin);
};

TEST_F(AppendFileTest, WritesWholeBlocksFromWhereverTheyAre) {
  for (int step = 0; step < 60; ++step) {
    const bool is_large = random_.one_in(3);
    const std::size_t count = random_.below(is_large ? 3 << 20 : 100000);
    // Mostly at the planned place in its block, sometimes elsewhere.
    const std::size_t begin = (random_.one_in(4) ? random_.below(2 * AppendFile::kBlockBytes)
                                                 : random_.below(2) * AppendFile::kBlockBytes +
                                                       model_.size() % AppendFile::kBlockBytes);
    append(count, is_large, begin);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(observer_.unaligned, 0U);
  EXPECT_GT(observer_.largest_bytes, std::size_t{1} << 20)
      << "large pieces are written in one call";
  expect_file();
}

TEST_F(AppendFileTest, GoesBackToAMark) {
  append(5000, false, 0);
  const auto mark = appender_.mark().value();
  const Buffer before = model_;
  append(3 << 20, true, 904);
  append(10, false, 0);
  appender_.rewind(mark);
  model_ = before;
  EXPECT_EQ(appender_.position(), before.size());
  append(70000, false, 0);
  expect_file();
}

TEST_F(AppendFileTest, GoesOnAfterAFlush) {
  append(100, false, 0);
  expect_file();
  append(2 << 20, true, 100);
  expect_file();
  ASSERT_TRUE(appender_.align(AppendFile::kBlockBytes));
  EXPECT_EQ(appender_.position() % AppendFile::kBlockBytes, 0U);
}

}  // namespace
}  // namespace dgfs::test
