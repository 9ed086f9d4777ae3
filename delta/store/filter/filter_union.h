// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FilterUnion: one question instead of one to each of many filters. Stages with few prefixes are
// laid over each other: of two capacities, the line of a hash in the larger stage tells its line in
// the smaller one, so each line of a small stage is repeated.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "delta/store/filter/filter_stage.h"
#include "delta/store/filter/prefix_filter.h"

namespace dgfs::delta {

/// Of filters that do not change any more. Keeps no reference to them. Thread-safe.
class FilterUnion {
 public:
  /// Throws std::bad_alloc. Cost: reads all stages once; memory of at most one stage in two.
  /// @param filters  null: a store without a filter
  explicit FilterUnion(std::span<const PrefixFilter* const> filters);

  /// False: no filter has the prefix, but for those that are left out. The object is not young for
  /// any of them.
  [[nodiscard]] bool may_have(const ObjectPrefix& prefix) const;
  /// Indexes of the filters that must be asked themselves: each has ranges, stages that are not
  /// read, or a stage that is more than half full.
  [[nodiscard]] const std::vector<std::size_t>& left_out() const { return left_out_; }
  /// How many filters it was made of.
  [[nodiscard]] std::size_t filters() const { return filters_; }
  [[nodiscard]] std::size_t stages() const { return stages_.size(); }

 private:
  const std::size_t filters_;
  std::vector<std::size_t> left_out_;
  std::deque<FilterStage> stages_;  ///< they cannot be moved
};

}  // namespace dgfs::delta
