// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/value_part.h"

#include <gtest/gtest.h>

#include "delta/store/extent/value_binder.h"
#include "storage/memory/env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

class ValuePart : public testing::Test {
 protected:
  [[nodiscard]] LargeRef large(std::string bytes, bool is_bound) {
    auto made = std::make_shared<const LargeValue>(
        std::make_shared<const std::string>(std::move(bytes)), volume_);
    if (!is_bound) return made;
    ValueBinder binder(volume_);
    EXPECT_TRUE(binder.add(*made));
    EXPECT_TRUE(binder.finish());
    return made;
  }
  [[nodiscard]] std::string random_text(Random& random, std::size_t length) {
    const auto bytes = random.bytes(length);
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] Edit random_edit(Random& random) {
    const auto offset = random.below(90'000);
    switch (random.below(4)) {
      case 0:
        return Zeros{offset, 1 + random.below(20'000)};
      case 1:
        return FieldChange{offset % 64, static_cast<FieldOperation>(1 + random.below(5)),
                           random.below(1000)};
      case 2: {
        const auto length = 1 + random.below(40'000);
        auto value = large(random_text(random, 200 + length), random.one_in(2));
        return LargePiece{offset, std::move(value), 100, length};
      }
      default:
        return Piece{offset, random_text(random, 1 + random.below(3000))};
    }
  }
  [[nodiscard]] Message random_put(Random& random) {
    auto bytes = random_text(random, 1 + random.below(70'000));
    Message put = random.one_in(2) ? Message::put(std::move(bytes))
                                   : Message::put(large(std::move(bytes), random.one_in(2)));
    for (auto count = random.below(6); count > 0; --count) put.patch.add(random_edit(random));
    return put;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  ExtentVolume volume_{env_->open("/extents", {storage::OpenOptions::Mode::kCreateNew}).value()};
};

TEST_F(ValuePart, IsThatOfTheWholeValue) {
  std::size_t parts = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Message put = random_put(random);
    const auto whole = value_of(put, volume_).value();
    ASSERT_EQ(length_of_value(put), whole->size());
    for (int i = 0; i < 20; ++i) {
      const auto begin = random.one_in(2) ? random.below(70) : random.below(whole->size() + 10);
      const auto length = random.one_in(5) ? UINT64_MAX : random.below(20'000);
      const auto part = part_of_value(put, begin, length, volume_);
      ASSERT_TRUE(part) << part.error().message();
      const auto from = std::min<std::size_t>(begin, whole->size());
      ASSERT_TRUE(part.value().bytes() == std::string_view(*whole).substr(from, length))
          << begin << ", " << length;
      parts += part.value().length_bytes != 0 ? 1U : 0U;
    }
  }
  EXPECT_GE(parts, 3000U);
}

// Parts may lie anywhere in memory: nothing is copied.
TEST_F(ValuePart, OfAValueInMemoryIsHandedOn) {
  const std::string text(50'000, 'v');
  const Message put = Message::put(large(text, false));
  const auto whole = value_of(put, volume_).value();
  const auto part = part_of_value(put, 20'000, 100, volume_).value();
  EXPECT_EQ(part.bytes().data(), whole->data() + 20'000);
  EXPECT_EQ(part_of_value(put, 50'000, 100, volume_).value().bytes(), "");
}

}  // namespace
}  // namespace dgfs::test
