// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/filter_check.h"

#include <algorithm>
#include <utility>

namespace dgfs::delta {

std::vector<Error> FilterCheck::load(bool reads_stages) {
  std::vector<Error> found;
  if (place_.length_bytes != 0) {
    auto table = read_filter_table(file_, place_, filter_.older());
    if (!table) return {std::move(table).error()};
    table_ = std::move(table).value();
  }
  if (!reads_stages) return found;
  for (const auto& each : table_.stages) {
    auto stage = std::make_unique<FilterStage>(each.capacity, each.count);
    auto read = read_filter_stage(file_, each.place, *stage);
    if (read) {
      filter_.restore(std::move(stage));
    } else {
      found.push_back(std::move(read).error());
    }
  }
  if (!table_.ranges.empty()) filter_.restore(PrefixRanges(table_.ranges));
  is_whole_ = found.empty();
  return found;
}

std::vector<Place> FilterCheck::blocks() const {
  std::vector<Place> blocks;
  if (place_.length_bytes != 0) blocks.push_back(place_);
  for (const auto& stage : table_.stages) blocks.push_back(stage.place);
  return blocks;
}

bool FilterCheck::lets_through(const Run& run) const {
  if (!is_whole_ || filter_.older().empty()) return true;
  for (const Point point : run.points()) {
    if (!filter_.may_have(prefix_of(point.key))) return false;
  }
  return std::ranges::all_of(run.tombstones(), [this](const auto& tombstone) {
    const auto prefixes = filter_.older().prefixes_of({tombstone.first, tombstone.second});
    return !prefixes || filter_.may_have_all(*prefixes);
  });
}

}  // namespace dgfs::delta
