// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/patch.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "delta/store/message/message.h"
#include "storage/memory/env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

Edit random_edit(Random& random) {
  if (random.one_in(3)) {
    const auto number = random.below(5000);
    const bool is_negative = random.one_in(2);
    return FieldChange{random.below(40), static_cast<FieldOperation>(1 + random.below(5)),
                       is_negative ? 0 - number : number};
  }
  if (random.one_in(3)) return Zeros{random.below(50), 1 + random.below(30)};
  const auto bytes = random.bytes(1 + random.below(random.one_in(4) ? 30 : 6));
  return Piece{random.below(40), std::string(bytes.begin(), bytes.end())};
}

// Makes no change of a field, so that edits are kept by their offsets.
Edit random_bytes_or_zeros(Random& random) {
  while (true) {
    const Edit edit = random_edit(random);
    if (!std::holds_alternative<FieldChange>(edit)) return edit;
  }
}

// However edits are joined and patches cut, the value is that of applying one edit after the other.
TEST(Patch, SaysWhatItsEditsSay) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const auto bytes = random.bytes(random.below(60));
    const std::string before(bytes.begin(), bytes.end());
    std::string expected = before;
    Patch whole;
    Patch part;
    for (auto count = random.below(25); count > 0; --count) {
      const Edit edit = random_edit(random);
      apply(edit, expected);
      part.add(edit);
      if (!random.one_in(3)) continue;
      whole.add(part);
      part = {};
    }
    whole.add(part);
    std::string value = before;
    whole.apply_to(value);
    ASSERT_EQ(value, expected);
  }
}

TEST(Patch, SaysWhatPiecesAndZerosSayByTheirOffsets) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    std::string expected(random.below(60), 'v');
    std::string value = expected;
    Patch patch;
    for (auto count = random.below(25); count > 0; --count) {
      const Edit edit = random_bytes_or_zeros(random);
      apply(edit, expected);
      patch.add(edit);
    }
    const auto& edits = patch.edits();
    for (std::size_t i = 1; i < edits.size(); ++i) {
      ASSERT_LE(end_of(edits[i - 1]), begin_of(edits[i]));
    }
    patch.apply_to(value);
    ASSERT_EQ(value, expected);
  }
}

// Copies share their edits until one of them changes.
TEST(Patch, CopiesAreIndependent) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    std::vector<Patch> patches(1);
    std::vector<std::string> values(1);
    for (int step = 0; step < 40; ++step) {
      const auto at = static_cast<std::size_t>(random.below(patches.size()));
      if (random.one_in(4)) {
        patches.push_back(patches[at]);
        values.push_back(values[at]);
        continue;
      }
      const Edit edit = random_edit(random);
      patches[at].add(edit);
      apply(edit, values[at]);
    }
    for (std::size_t i = 0; i < patches.size(); ++i) {
      std::string value;
      patches[i].apply_to(value);
      ASSERT_EQ(value, values[i]);
    }
  }
}

// Large pieces are cut where others cover them, and never joined.
TEST(Patch, SaysWhatItsLargePiecesSay) {
  const auto env = storage::make_memory_env(1);
  ExtentVolume volume(env->open("/extents", {storage::OpenOptions::Mode::kCreateNew}).value());
  std::size_t large_pieces = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const bool has_fields = random.one_in(3);
    std::string expected(random.below(60), 'v');
    std::string value = expected;
    Patch whole;
    Patch part;
    for (auto count = random.below(25); count > 0; --count) {
      const Edit edit = has_fields ? random_edit(random) : random_bytes_or_zeros(random);
      if (const auto* piece = std::get_if<Piece>(&edit); piece != nullptr && random.one_in(2)) {
        const auto large = std::make_shared<const LargeValue>(
            std::make_shared<const std::string>("xy" + piece->bytes + "z"), volume);
        part.add(LargePiece{piece->offset_bytes, large, 2, piece->bytes.size()});
      } else {
        part.add(edit);
      }
      apply(edit, expected);
      if (!random.one_in(3)) continue;
      whole.add(std::exchange(part, {}));
    }
    whole.add(part);
    large_pieces += whole.has_large() ? 1U : 0U;
    if (!has_fields) {
      EXPECT_TRUE(whole.is_ordered());
    }
    Message message;
    message.patch = whole;
    const auto small = without_large(message, volume).value();
    EXPECT_FALSE(small.patch.has_large());
    std::string same = value;
    small.patch.apply_to(same);
    ASSERT_TRUE(whole.apply_to(value, volume));
    ASSERT_EQ(value, expected) << seed;
    ASSERT_EQ(same, expected) << seed;
  }
  EXPECT_GT(large_pieces, 1000U);
}

TEST(Patch, CutsALargePieceInTwo) {
  const auto env = storage::make_memory_env(1);
  ExtentVolume volume(env->open("/extents", {storage::OpenOptions::Mode::kCreateNew}).value());
  const auto large =
      std::make_shared<const LargeValue>(std::make_shared<const std::string>("abcdefgh"), volume);
  Patch patch;
  patch.add(LargePiece{10, large, 0, 8});
  patch.add(Piece{12, "xyz"});
  EXPECT_EQ(patch.edits(),
            (Edits{LargePiece{10, large, 0, 2}, Piece{12, "xyz"}, LargePiece{15, large, 5, 3}}));
  patch.add(Piece{10, std::string(8, 'n')});
  EXPECT_FALSE(patch.has_large()) << "a covered large piece is gone";
}

TEST(Patch, CarriesNoZeros) {
  Patch patch;
  patch.add(Piece{100, std::string(50000, 'a')});
  patch.add(Zeros{0, 60000});
  EXPECT_EQ(patch.edits(), Edits{(Zeros{0, 60000})});
  EXPECT_LT(patch.size_bytes(), 100U);
  // The piece had made the value as long as this.
  std::string value;
  patch.apply_to(value);
  EXPECT_EQ(value, std::string(50100, '\0'));
}

TEST(Patch, ZerosLengthenNothing) {
  std::string value = "abc";
  Patch patch;
  patch.add(Zeros{1, 100});
  patch.apply_to(value);
  EXPECT_EQ(value, std::string("a\0\0", 3));
}

TEST(Patch, CutsAPieceInTwoForZeros) {
  Patch patch;
  patch.add(Piece{0, "abcdef"});
  patch.add(Zeros{2, 2});
  EXPECT_EQ(patch.edits(), (Edits{Piece{0, "ab"}, Zeros{2, 2}, Piece{4, "ef"}}));
  patch.add(Piece{3, "x"});
  EXPECT_EQ(patch.edits(), (Edits{Piece{0, "ab"}, Zeros{2, 1}, Piece{3, "xef"}}));
}

TEST(Patch, MakesAPieceOfAFieldOverZeros) {
  Patch patch;
  patch.add(Zeros{0, 16});
  patch.add(FieldChange{8, FieldOperation::kAdd, 7});
  patch.add(FieldChange{8, FieldOperation::kSignedMin, 0 - std::uint64_t{5}});
  EXPECT_EQ(patch.edits(), (Edits{Zeros{0, 8}, field_set_to(8, 0 - std::uint64_t{5})}));
}

TEST(Edit, ChangesSignedAndUnsignedFields) {
  constexpr std::uint64_t kMinusOne = UINT64_MAX;
  EXPECT_EQ(changed({0, FieldOperation::kAdd, kMinusOne}, 5), 4U);
  EXPECT_EQ(changed({0, FieldOperation::kMax, kMinusOne}, 5), kMinusOne);
  EXPECT_EQ(changed({0, FieldOperation::kMin, kMinusOne}, 5), 5U);
  EXPECT_EQ(changed({0, FieldOperation::kSignedMax, kMinusOne}, 5), 5U);
  EXPECT_EQ(changed({0, FieldOperation::kSignedMax, 5}, kMinusOne), 5U);
  EXPECT_EQ(changed({0, FieldOperation::kSignedMin, kMinusOne}, 5), kMinusOne);
  EXPECT_EQ(changed({0, FieldOperation::kSignedMin, 5}, kMinusOne), kMinusOne);
}

TEST(Patch, JoinsPiecesThatTouch) {
  Patch patch;
  patch.add(Piece{4, "ee"});
  patch.add(Piece{0, "aaaa"});
  patch.add(Piece{3, "bb"});
  EXPECT_EQ(patch.edits(), Edits{(Piece{0, "aaabbe"})});
}

// This way an edit finds its neighbours without a look at the others.
TEST(Patch, KeepsPiecesAloneByTheirOffsets) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Patch patch;
    std::string expected;
    for (int i = 0; i < 60; ++i) {
      const Piece piece{random.below(500), std::string(1 + random.below(12), 'a')};
      delta::apply(piece, expected);
      patch.add(piece);
    }
    const auto& edits = patch.edits();
    for (std::size_t i = 1; i < edits.size(); ++i) {
      ASSERT_LT(end_of(edits[i - 1]), begin_of(edits[i]));
    }
    std::string value;
    patch.apply_to(value);
    ASSERT_EQ(value, expected);
  }
}

// An older block may have them in any order.
TEST(Patch, TakesPiecesThatAreInNoOrder) {
  Patch patch(Edits{Piece{20, "c"}, Piece{0, "a"}, Piece{10, "b"}});
  patch.add(Piece{9, "xyz"});
  EXPECT_EQ(patch.edits(), (Edits{Piece{20, "c"}, Piece{0, "a"}, Piece{9, "xyz"}}));
}

TEST(Patch, ForgetsWhatIsOverwritten) {
  Patch patch;
  patch.add(Piece{2, "x"});
  patch.add(FieldChange{0, FieldOperation::kAdd, 1});
  patch.add(Piece{20, "far"});
  patch.add(Piece{0, "12345678"});
  EXPECT_EQ(patch.edits(), (Edits{Piece{20, "far"}, Piece{0, "12345678"}}));
}

TEST(Patch, ChangesAFieldWithinAPieceAtOnce) {
  Patch patch;
  patch.add(Piece{0, std::string("\x05\0\0\0\0\0\0\0", 8)});
  patch.add(FieldChange{0, FieldOperation::kAdd, 2});
  patch.add(FieldChange{0, FieldOperation::kMax, 6});
  EXPECT_EQ(patch.edits(), Edits{(Piece{0, std::string("\x07\0\0\0\0\0\0\0", 8)})});
}

TEST(Patch, CountsInOneChange) {
  Patch patch;
  for (int i = 0; i < 1000; ++i) patch.add(FieldChange{8, FieldOperation::kAdd, 1});
  EXPECT_EQ(patch.edits(), Edits{(FieldChange{8, FieldOperation::kAdd, 1000})});
}

}  // namespace
}  // namespace dgfs::test
