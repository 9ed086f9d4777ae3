// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/patch.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using namespace delta;

Edit random_edit(Random& random) {
  if (random.one_in(3)) {
    const auto operation = random.one_in(2) ? FieldOperation::kAdd : FieldOperation::kMax;
    return FieldChange{random.below(40), operation, random.below(5000)};
  }
  const auto bytes = random.bytes(1 + random.below(random.one_in(4) ? 30 : 6));
  return Piece{random.below(40), std::string(bytes.begin(), bytes.end())};
}

// However edits are joined, and wherever patches are cut, the value is that of one edit after the
// other.
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

TEST(Patch, JoinsPiecesThatTouch) {
  Patch patch;
  patch.add(Piece{4, "ee"});
  patch.add(Piece{0, "aaaa"});
  patch.add(Piece{3, "bb"});
  EXPECT_EQ(patch.edits(), std::vector<Edit>{(Piece{0, "aaabbe"})});
}

// So that a record finds its neighbours without a look at the others.
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

// A block of before may have them in any order.
TEST(Patch, TakesPiecesThatAreInNoOrder) {
  Patch patch(std::vector<Edit>{Piece{20, "c"}, Piece{0, "a"}, Piece{10, "b"}});
  patch.add(Piece{9, "xyz"});
  EXPECT_EQ(patch.edits(), (std::vector<Edit>{Piece{20, "c"}, Piece{0, "a"}, Piece{9, "xyz"}}));
}

TEST(Patch, ForgetsWhatIsOverwritten) {
  Patch patch;
  patch.add(Piece{2, "x"});
  patch.add(FieldChange{0, FieldOperation::kAdd, 1});
  patch.add(Piece{20, "far"});
  patch.add(Piece{0, "12345678"});
  EXPECT_EQ(patch.edits(), (std::vector<Edit>{Piece{20, "far"}, Piece{0, "12345678"}}));
}

TEST(Patch, ChangesAFieldWithinAPieceAtOnce) {
  Patch patch;
  patch.add(Piece{0, std::string("\x05\0\0\0\0\0\0\0", 8)});
  patch.add(FieldChange{0, FieldOperation::kAdd, 2});
  patch.add(FieldChange{0, FieldOperation::kMax, 6});
  EXPECT_EQ(patch.edits(), std::vector<Edit>{(Piece{0, std::string("\x07\0\0\0\0\0\0\0", 8)})});
}

TEST(Patch, CountsInOneChange) {
  Patch patch;
  for (int i = 0; i < 1000; ++i) patch.add(FieldChange{8, FieldOperation::kAdd, 1});
  EXPECT_EQ(patch.edits(), std::vector<Edit>{(FieldChange{8, FieldOperation::kAdd, 1000})});
}

}  // namespace
}  // namespace dgfs::test
