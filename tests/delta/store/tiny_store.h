// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stores in "/s" of an Env, so small that a few operations cause everything that happens in a large
// store.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "delta/store/store.h"
#include "delta/store/store_check.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// Nodes of a few hundred bytes, segments of 8 to 32 KiB.
inline delta::StoreOptions tiny_options(Random& random) {
  delta::StoreOptions options;
  options.create = true;
  options.parameters.basement_bytes = 512u << random.below(3);
  options.parameters.buffer_bytes = 1024u << random.below(3);
  options.parameters.fanout = 4 + random.below(3);
  options.parameters.segment_bytes = 8192u << random.below(3);
  options.parameters.inline_bytes = 10u << random.below(4);
  options.cache_bytes = random.one_in(2) ? 0 : 16384;
  options.table_bytes = 2048u << random.below(4);
  options.level = random.one_in(2) ? 1 : 0;
  // 0: each run is written as soon as it is made.
  options.dirty_bytes = random.one_in(4) ? 0 : 4096u << random.below(6);
  options.spare_bytes = 1024;
  if (options.level == 0) options.punch_bytes = 4096;
  options.filter_prefixes = 32;
  return options;
}

inline std::unique_ptr<delta::Store> open_store(storage::Env& env,
                                                const delta::StoreOptions& options) {
  auto store = delta::Store::open(env, "/s", options);
  EXPECT_TRUE(store) << store.error().message();
  return store ? std::move(store).value() : nullptr;
}

/// apply() for callers that do not need the number.
inline Status applied(delta::Store& store, const delta::Batch& batch) {
  DGFS_CHECK(store.apply(batch));
  return ok();
}

/// Reads all keys and values with a cursor.
inline Result<std::map<std::string, std::string>> read_all(delta::Store& store) {
  std::map<std::string, std::string> values;
  auto cursor = store.cursor();
  DGFS_CHECK(cursor.seek(""));
  while (cursor.is_at_key()) {
    DGFS_TRY(value, cursor.value());
    values[std::string(cursor.key())] = value;
    DGFS_CHECK(cursor.next());
  }
  return values;
}

/// The same, for a store whose reads must succeed.
inline std::map<std::string, std::string> values_of(delta::Store& store) {
  auto values = read_all(store);
  EXPECT_TRUE(values) << values.error().message();
  return values ? std::move(values).value() : std::map<std::string, std::string>();
}

/// Expects that the files on disk keep all rules.
inline void expect_sound(storage::Env& env) {
  const auto report = delta::check_store(env, "/s");
  EXPECT_TRUE(report) << report.error().message();
}

}  // namespace dgfs::test
