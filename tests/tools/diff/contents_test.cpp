// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "storage/memory/content.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

constexpr std::uint64_t kTerabyte = std::uint64_t{1} << 40;
constexpr std::uint64_t kPage = storage::MemoryContent::kPageBytes;

/// Counts what is read of it, and fails if that is more than diff should read here.
class CountedContent final : public tools::DiffContent {
 public:
  explicit CountedContent(std::uint64_t size_bytes) { content_.resize(size_bytes); }

  CountedContent& write(std::uint64_t offset, std::string_view data) {
    content_.write(offset, as_bytes(data));
    return *this;
  }
  /// Cuts the file, as another process may do meanwhile.
  void cut(std::uint64_t size_bytes) { content_.resize(size_bytes); }

  Result<std::size_t> read(std::uint64_t offset, MutableBytes out) const override {
    read_bytes += out.size();
    ++reads;
    if (read_bytes > kBudgetBytes) return Error(ErrorKind::kIo, 1, "reads and reads");
    return content_.read(offset, out);
  }
  Result<storage::DataSegment> next_data(std::uint64_t offset) const override {
    if (fails) return Error(ErrorKind::kIo, 2, "cannot say");
    return content_.next_data(offset);
  }

  bool fails = false;
  mutable std::uint64_t reads = 0;
  mutable std::uint64_t read_bytes = 0;

 private:
  static constexpr std::uint64_t kBudgetBytes = std::uint64_t{64} << 20;
  storage::MemoryContent content_;
};

std::optional<std::uint64_t> difference(const CountedContent& first, const CountedContent& second,
                                        std::uint64_t size_bytes) {
  const std::atomic<bool> stop = false;
  const auto found = tools::first_difference(first, second, size_bytes, stop);
  EXPECT_TRUE(found) << found.error().message();
  return found ? found.value() : std::nullopt;
}

TEST(DiffContents, HolesOfBothSidesAreNotRead) {
  CountedContent first(kTerabyte);
  CountedContent second(kTerabyte);
  EXPECT_EQ(difference(first, second, kTerabyte), std::nullopt);
  EXPECT_EQ(first.reads + second.reads, 0U);
  for (auto* side : {&first, &second}) {
    side->write(0, "begin").write(kTerabyte / 2, "middle").write(kTerabyte - 3, "end");
  }
  EXPECT_EQ(difference(first, second, kTerabyte), std::nullopt);
  EXPECT_EQ(first.read_bytes, 3 * kPage);
  EXPECT_EQ(second.read_bytes, 3 * kPage);
}

TEST(DiffContents, AHoleIsZerosWhereTheOtherSideHasData) {
  CountedContent first(kTerabyte);
  CountedContent second(kTerabyte);
  second.write(3 * kTerabyte / 4, std::string(2 * kPage, '\0'));
  EXPECT_EQ(difference(first, second, kTerabyte), std::nullopt);
  EXPECT_EQ(difference(second, first, kTerabyte), std::nullopt);
  EXPECT_EQ(second.read_bytes, 2 * 2 * kPage);
  second.write(3 * kTerabyte / 4 + kPage + 7, "x");
  EXPECT_EQ(difference(first, second, kTerabyte), 3 * kTerabyte / 4 + kPage + 7);
  EXPECT_EQ(difference(second, first, kTerabyte), 3 * kTerabyte / 4 + kPage + 7);
}

TEST(DiffContents, ShortHolesDoNotSplitReads) {
  const std::uint64_t size_bytes = 64 * kPage;
  CountedContent first(size_bytes);
  CountedContent second(size_bytes);
  for (std::uint64_t at = 0; at < size_bytes; at += 2 * kPage) {
    first.write(at, "x");
    second.write(at, "x");
  }
  EXPECT_EQ(difference(first, second, size_bytes), std::nullopt);
  EXPECT_EQ(first.reads, 1U);
  EXPECT_EQ(second.reads, 1U);
}

// A file that is cut while it is compared does not end in a hole.
TEST(DiffContents, AFileThatWasCutEndsThere) {
  CountedContent first(kTerabyte);
  CountedContent second(kTerabyte);
  first.write(5, "x");
  second.write(5, "x");
  second.cut(kTerabyte / 2 + 1);
  EXPECT_EQ(difference(first, second, kTerabyte), kTerabyte / 2 + 1);
  EXPECT_EQ(difference(second, first, kTerabyte), kTerabyte / 2 + 1);
  second.cut(6);
  EXPECT_EQ(difference(first, second, kTerabyte), 6U);
  first.write(kTerabyte / 4, "behind that");
  EXPECT_EQ(difference(first, second, kTerabyte), 6U);
  first.write(2, "y");
  EXPECT_EQ(difference(first, second, kTerabyte), 2U);
}

TEST(DiffContents, ASideThatCannotSayWhereDataIsIsAnError) {
  const CountedContent first(kTerabyte);
  CountedContent second(kTerabyte);
  second.fails = true;
  const std::atomic<bool> stop = false;
  EXPECT_EQ(tools::first_difference(first, second, kTerabyte, stop).error().code(), 2);
  EXPECT_EQ(tools::first_difference(second, first, kTerabyte, stop).error().code(), 2);
}

TEST(DiffContents, EndsWhenStopped) {
  CountedContent first(kTerabyte);
  const CountedContent second(kTerabyte);
  first.write(0, "x");
  const std::atomic<bool> stop = true;
  EXPECT_EQ(tools::first_difference(first, second, kTerabyte, stop).value(), std::nullopt);
  EXPECT_EQ(first.reads, 0U);
}

// Compares with a comparison byte by byte.
class DiffContentsModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DiffContentsModel, FindsTheFirstDifference) {
  Random random(GetParam());
  const std::uint64_t size_bytes = random.below(3 << 19) + 1;
  CountedContent sides[2] = {CountedContent(size_bytes), CountedContent(size_bytes)};
  Buffer model[2] = {Buffer(size_bytes), Buffer(size_bytes)};
  for (auto writes = random.below(20); writes > 0; --writes) {
    const auto at = random.below(size_bytes);
    const auto length =
        std::min(random.below(random.one_in(4) ? 1 << 20 : 9000) + 1, size_bytes - at);
    const std::string data(static_cast<std::size_t>(length), random.one_in(3) ? '\0' : 'd');
    const auto left_out = random.below(16);  // 0 or 1: the side that stays unchanged
    for (std::uint64_t side = 0; side < 2; ++side) {
      if (side == left_out) continue;
      sides[side].write(at, data);
      std::copy(data.begin(), data.end(), model[side].begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  const auto [found, other] = std::ranges::mismatch(model[0], model[1]);
  const auto expected =
      found == model[0].end()
          ? std::nullopt
          : std::optional<std::uint64_t>(static_cast<std::uint64_t>(found - model[0].begin()));
  EXPECT_EQ(difference(sides[0], sides[1], size_bytes), expected);
  EXPECT_EQ(difference(sides[1], sides[0], size_bytes), expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DiffContentsModel, testing::Range<std::uint64_t>(1, 25));

}  // namespace
}  // namespace dgfs::test
