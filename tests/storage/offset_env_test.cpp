// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/offset_env.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "storage/memory/env.h"
#include "storage/testing/faulty_env.h"

namespace dgfs::storage {
namespace {

class OffsetEnvTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* path : {"/shifted", "/plain"}) {
      auto file = memory_->open(path, {.mode = OpenOptions::Mode::kCreateNew});
      ASSERT_TRUE(file);
      ASSERT_TRUE(file.value()->write_at(0, as_bytes(std::string_view("0123456789"))));
    }
  }
  static std::string read(const File& file, std::uint64_t offset, std::size_t length) {
    Buffer out(length);
    const auto count = file.read_at(offset, MutableBytes(out));
    return count ? std::string(as_text(Bytes(out).first(count.value()))) : "error";
  }

  std::unique_ptr<MemoryEnv> memory_ = make_memory_env(1);
  std::unique_ptr<Env> env_ = make_offset_env(*memory_, "/shifted", 4);
};

TEST_F(OffsetEnvTest, TheFileBeginsLaterAndEndsAsBefore) {
  const auto file = env_->open("/shifted");
  ASSERT_TRUE(file);
  EXPECT_EQ(file.value()->size().value(), 6U);
  EXPECT_EQ(file.value()->status().value().size_bytes, 6U);
  EXPECT_EQ(read(*file.value(), 0, 3), "456");
  EXPECT_EQ(read(*file.value(), 4, 10), "89");
  EXPECT_EQ(read(*file.value(), 6, 10), "");
  EXPECT_EQ(read(*file.value(), ~std::uint64_t{0}, 10), "");
  EXPECT_EQ(file.value()->path(), "/shifted");
  const auto segment = file.value()->next_data(0);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment.value(), (DataSegment{0, 6}));
}

TEST_F(OffsetEnvTest, ScatteredReads) {
  const auto file = env_->open("/shifted");
  ASSERT_TRUE(file);
  Buffer first(2);
  Buffer second(3);
  const std::array<MutableBytes, 2> outs = {MutableBytes(first), MutableBytes(second)};
  EXPECT_EQ(file.value()->read_at(1, outs).value(), 5U);
  EXPECT_EQ(as_text(first), "56");
  EXPECT_EQ(as_text(second), "789");
}

TEST_F(OffsetEnvTest, OtherFilesAreAsTheyWere) {
  const auto file = env_->open("/plain");
  ASSERT_TRUE(file);
  EXPECT_EQ(read(*file.value(), 0, 3), "012");
}

TEST_F(OffsetEnvTest, ItCannotBeWritten) {
  const auto file = env_->open("/shifted", {.mode = OpenOptions::Mode::kReadWrite});
  ASSERT_TRUE(file);
  const auto written = file.value()->write_at(0, as_bytes(std::string_view("x")));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::kPermission);
  EXPECT_FALSE(file.value()->truncate(0));
  EXPECT_EQ(read(*env_->open("/plain").value(), 0, 10), "0123456789");
}

TEST_F(OffsetEnvTest, AnOffsetBeyondTheEndIsRefused) {
  for (const std::uint64_t offset : {std::uint64_t{10}, ~std::uint64_t{0}}) {
    const auto env = make_offset_env(*memory_, "/shifted", offset);
    const auto file = env->open("/shifted");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(file.error().file(), "/shifted");
  }
}

TEST_F(OffsetEnvTest, ErrorsCountFromTheNewBeginning) {
  const auto faulty = make_faulty_env(*memory_, 1);
  const auto env = make_offset_env(*faulty, "/shifted", 4);
  const auto file = env->open("/shifted");
  ASSERT_TRUE(file);
  faulty->arm({.kind = FaultKind::kIoError, .at_call = 1, .sticky = true});
  Buffer out(2);
  const auto count = file.value()->read_at(3, MutableBytes(out));
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind(), ErrorKind::kIo);
  EXPECT_EQ(count.error().offset().value_or(3), 3U);
}

}  // namespace
}  // namespace dgfs::storage
