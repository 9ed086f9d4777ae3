// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/attribute_table.h"

#include <gtest/gtest.h>

#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::test {
namespace {

using format::AttributeCombination;
using format::AttributeTable;

AttributeTable small_table() {
  AttributeTable table(9);
  table.intern({format::kTypeRegular | 0644, 0, 0});
  table.intern({format::kTypeDirectory | 0755, 1000, 0xffffffff});
  return table;
}

TEST(AttributeTable, NumbersInOrderOfFirstUse) {
  auto table = small_table();
  EXPECT_EQ(table.intern({format::kTypeDirectory | 0755, 1000, 0xffffffff}), 1u);
  EXPECT_EQ(table.intern({format::kTypeRegular | 0644, 0, 1}), 2u);
  EXPECT_EQ(table.find({format::kTypeRegular | 0644, 0, 0}), 0u);
  EXPECT_EQ(table.find({format::kTypeRegular | 0644, 7, 0}), std::nullopt);
  EXPECT_EQ(table.at(3), std::nullopt);
}

TEST(AttributeTable, IsFullAtItsLimit) {
  AttributeTable table(0);
  for (std::uint32_t i = 0; i < format::kAttributeTableEntriesMax; ++i) {
    ASSERT_EQ(table.intern({format::kTypeRegular, i, i * 7}), i);
  }
  EXPECT_EQ(table.intern({format::kTypeSocket, 0, 0}), std::nullopt);
  EXPECT_EQ(table.intern({format::kTypeRegular, 1, 7}), 1u);
  Buffer bytes;
  table.encode(bytes);
  EXPECT_EQ(AttributeTable::decode(bytes).value().size(), format::kAttributeTableEntriesMax);
}

TEST(AttributeTable, ComesBack) {
  const auto table = small_table();
  Buffer bytes;
  table.encode(bytes);
  const auto decoded = AttributeTable::decode(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded.value().id(), 9);
  ASSERT_EQ(decoded.value().size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) EXPECT_EQ(decoded.value().at(i), table.at(i));
}

TEST(AttributeTable, RefusesEveryTruncationAndExtension) {  // F-200
  Buffer bytes;
  small_table().encode(bytes);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(AttributeTable::decode(Bytes(bytes).first(length))) << length;
  }
  bytes.push_back(0);
  EXPECT_FALSE(AttributeTable::decode(bytes));
}

TEST(AttributeTable, RefusesInvalidModesAndDuplicates) {  // F-201, F-202
  AttributeTable invalid(1);
  invalid.intern({0644, 0, 0});
  Buffer bytes;
  invalid.encode(bytes);
  EXPECT_EQ(AttributeTable::decode(bytes).error().code(), 2111);

  AttributeTable twins(1);
  twins.intern({format::kTypeRegular, 5, 0});
  twins.intern({format::kTypeRegular, 6, 0});
  bytes.clear();
  twins.encode(bytes);
  bytes[3 + 2 * 4] = 6;  // the first uid
  EXPECT_EQ(AttributeTable::decode(bytes).error().code(), 2112);
}

}  // namespace
}  // namespace dgfs::test
