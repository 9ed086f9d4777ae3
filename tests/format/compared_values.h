// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks that a comparison of values leaves no field out.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace dgfs::test {

/// Each of `changes`, applied to a copy of `whole`, must make a different value.
template <class Value>
void expect_all_compared(const Value& whole,
                         const std::vector<std::function<void(Value&)>>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto changed = whole;
    EXPECT_TRUE(changed == whole);
    changes[i](changed);
    EXPECT_FALSE(changed == whole) << "change " << i;
    EXPECT_TRUE(changed != whole) << "change " << i;
  }
}

}  // namespace dgfs::test
