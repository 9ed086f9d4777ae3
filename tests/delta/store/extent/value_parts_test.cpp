// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Parts of large values: the store reads and checks only the parts that the caller asks for.
#include <gtest/gtest.h>

#include "delta/store/extent/value_place.h"
#include "tests/delta/store/counted_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::size_t kPart = kValuePartBytesMin;
constexpr std::size_t kPartedBytes = 12 * kPart + 1000;

std::string long_value() {
  std::string value;
  while (value.size() < kPartedBytes) value += std::to_string(value.size()) + " ";
  value.resize(kPartedBytes);
  return value;
}

class ValueParts : public CountedStore {
 protected:
  ValueParts() : CountedStore({.segment_bytes = 1U << 20}) {
    put(0, value_);
    EXPECT_TRUE(store_->checkpoint());
    reopen();
    EXPECT_TRUE(store_->read(numbered_key(0), 0, 1));  // reads the tree into the cache
    env_->reset();
  }
  [[nodiscard]] Result<std::optional<ValueSlice>> read(std::uint64_t begin, std::uint64_t length) {
    return store_->read(numbered_key(0), begin, length);
  }
  void expect_read(std::uint64_t begin, std::uint64_t length, std::uint64_t read_bytes) {
    env_->reset();
    const auto slice = read(begin, length);
    ASSERT_TRUE(slice) << slice.error().message();
    ASSERT_TRUE(slice.value());
    EXPECT_EQ(slice.value()->bytes(), std::string_view(value_).substr(begin, length)) << begin;
    EXPECT_EQ(counts("extents").read_bytes, read_bytes) << begin;
    EXPECT_EQ(counts("extents").reads, read_bytes == 0 ? 0U : 1U) << begin;
  }

  const std::string value_ = long_value();
};

TEST_F(ValueParts, AreReadAlone) {
  expect_read(0, 1, kPart);
  expect_read(3 * kPart - 1, 1, kPart);
  expect_read(3 * kPart - 1, 2, 2 * kPart);
  expect_read(5 * kPart, kPart, kPart);
  expect_read(12 * kPart, 4096, 1000);
  expect_read(kPartedBytes, 100, 0);
  expect_read(0, UINT64_MAX, kPartedBytes);
}

TEST_F(ValueParts, AreReadUnderAPatch) {
  Batch batch;
  batch.patch(numbered_key(0), 7 * kPart + 10, "a patch");
  ASSERT_TRUE(store_->apply(batch));
  env_->reset();
  const auto slice = read(7 * kPart, 20).value();
  EXPECT_EQ(slice->bytes(),
            value_.substr(7 * kPart, 10) + "a patch" + value_.substr(7 * kPart + 17, 3));
  EXPECT_EQ(counts("extents").read_bytes, kPart);
}

TEST_F(ValueParts, OfAKeyThatIsNotThereAreNone) {
  const auto none = store_->read("other", 0, 10);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none.value());
}

// Damages each part in turn: a read of this part reports the place, reads of others succeed.
TEST_F(ValueParts, AreCheckedAlone) {
  const auto file = memory_->open("/s/extents", {storage::OpenOptions::Mode::kReadWrite}).value();
  for (std::size_t damaged = 0; damaged < 13; ++damaged) {
    const auto at = damaged * kPart + 500;
    const Buffer before{static_cast<std::uint8_t>(value_[at])};
    const Buffer wrong{static_cast<std::uint8_t>(value_[at] ^ 4)};
    ASSERT_TRUE(file->write_at(at, wrong));
    for (std::size_t part = 0; part < 13; ++part) {
      const auto slice = read(part * kPart + 10, 20);
      if (part != damaged) {
        ASSERT_TRUE(slice) << part;
        EXPECT_EQ(slice.value()->bytes(), value_.substr(part * kPart + 10, 20));
        continue;
      }
      ASSERT_FALSE(slice) << part;
      EXPECT_EQ(slice.error().kind(), ErrorKind::kCorrupt);
      EXPECT_EQ(slice.error().offset(), part * kPart);
    }
    EXPECT_FALSE(store_->get(numbered_key(0)));
    ASSERT_TRUE(file->write_at(at, before));
  }
  EXPECT_EQ(*store_->get(numbered_key(0)).value(), value_);
}

TEST(ValuePlace, HasFewParts) {
  EXPECT_EQ(value_part_bytes(1), kPart);
  EXPECT_EQ(value_part_bytes(kPart * kValuePartsMax), kPart);
  EXPECT_EQ(value_part_bytes(kPart * kValuePartsMax + 1), 2 * kPart);
  EXPECT_EQ(value_part_bytes(kValueBytesMax), kValueBytesMax / kValuePartsMax);
  const Buffer value(kPart + 1, 'v');
  const auto place = ValuePlace::of(512, value);
  ASSERT_EQ(place.sums.size(), 2U);
  EXPECT_EQ(place.part(1).offset_bytes, 512 + kPart);
  EXPECT_EQ(place.part(1).length_bytes, 1U);
}

}  // namespace
}  // namespace dgfs::test
