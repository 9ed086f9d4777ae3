// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Runs as range deletes leave them: many range tombstones, with points between and over them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "delta/store/run/run_builder.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// Range tombstones touch keys of points, and sometimes cover thousands of them. All points are
/// puts.
inline delta::RunRef random_run_of_tombstones(Random& random, std::uint64_t points,
                                              std::uint64_t tombstones) {
  const auto key = [&] { return "k" + std::to_string(random.below(100000)); };
  delta::RangeTombstones all;
  for (; tombstones > 0; --tombstones) {
    std::string begin = key();
    delta::KeyEnd end = random.one_in(200) ? key() : begin + "x";
    if (random.one_in(1000)) end = std::nullopt;
    all.add({std::move(begin), std::move(end)});
  }
  std::map<std::string, std::string> values;
  for (; points > 0; --points) {
    auto at = all.begin();
    if (at != all.end()) at = all.find(key());
    auto name = at == all.end() ? key() : random.one_in(2) ? at->first : at->second.value_or("z");
    values[std::move(name)] = std::string(random.below(40), 'v');
  }
  delta::RunBuilder builder;
  for (const auto& [name, value] : values) builder.add_put(name, value);
  return builder.take(std::move(all));
}

/// The size of the longest point or range tombstone of a run.
inline std::size_t longest_message_bytes(const delta::Run& run) {
  std::size_t longest = 0;
  for (const delta::Point point : run.points()) longest = std::max(longest, point.size_bytes());
  for (const auto& tombstone : run.tombstones()) {
    longest = std::max(longest, delta::RangeTombstones::bytes_of(tombstone));
  }
  return longest;
}

}  // namespace dgfs::test
