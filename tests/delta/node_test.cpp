// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/node.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using namespace delta;

// Of height 0, one slot for each key.
Buffer encoded(const std::vector<std::string>& lows) {
  std::vector<Slot> slots(lows.size());
  for (std::size_t i = 0; i < lows.size(); ++i) slots[i].low = lows[i];
  Buffer bytes;
  Node(0, std::move(slots)).encode(bytes);
  return bytes;
}

TEST(Node, SlotsRiseFromTheSecondOn) {
  for (const auto& lows : std::vector<std::vector<std::string>>{{""}, {"z", "a", "b"}}) {
    const auto node = Node::decode(encoded(lows));
    ASSERT_TRUE(node) << node.error().message();
    EXPECT_EQ(node.value()->slots().size(), lows.size());
    EXPECT_EQ(node.value()->find(""), 0U);
  }
  for (const auto& lows :
       std::vector<std::vector<std::string>>{{"", "b", "a"}, {"", "b", "b"}, {"", "a", ""}}) {
    const auto node = Node::decode(encoded(lows));
    ASSERT_FALSE(node);
    EXPECT_EQ(node.error().kind(), ErrorKind::kCorrupt);
  }
}

// Found by the fuzzer: the empty key was in the second slot, which no slot before would show.
TEST(Node, ASecondSlotThatBeginsAtTheEmptyKeyIsRefused) {
  EXPECT_FALSE(Node::decode(encoded({"", ""})));
}

}  // namespace
}  // namespace dgfs::test
