// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks that the filter of a store lets through every key of which the store has a message.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "delta/store/store.h"

namespace dgfs::test {

/// Returns whether the filter lets through prefixes that a range of keys may have: the first
/// hundred and the last.
inline bool lets_through(const delta::Store& store, const delta::KeyRange& range,
                         std::uint64_t born_object) {
  const delta::OlderObjects older(born_object);
  const auto prefixes = older.prefixes_of(range);
  if (!prefixes) return true;
  const auto may_have = [&](const delta::ObjectPrefix& prefix) {
    return store.may_have(prefix.object_class, prefix.object);
  };
  std::optional prefix = prefixes->first;
  for (int i = 0; i < 100 && prefix && *prefix <= prefixes->last; ++i) {
    if (!may_have(*prefix)) return false;
    prefix = older.next(*prefix);
  }
  return may_have(prefixes->last);
}

/// Expects the same for all messages of a store, as its message cursor gives them. Ends where the
/// cursor cannot read.
inline void expect_let_through(const delta::Store& store, std::uint64_t born_object) {
  auto cursor = store.message_cursor();
  auto moved = cursor.seek("");
  while (moved && cursor.is_at_place()) {
    const std::string key(cursor.key());
    ASSERT_TRUE(lets_through(store, {key, key + '\0'}, born_object)) << key;
    if (const auto* until = cursor.covered_until()) {
      ASSERT_TRUE(lets_through(store, {key, *until}, born_object))
          << key << " and the range that begins there";
    }
    moved = cursor.next();
  }
}

}  // namespace dgfs::test
