// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SparseColumn: values that only few entries of a page have, found by the index of the entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dgfs::format {

template <class Value>
class SparseColumn {
 public:
  /// Indexes must rise from call to call.
  void add(std::uint32_t index, Value value) {
    indexes_.push_back(index);
    values_.push_back(value);
  }
  /// Null if entry `index` has none. O(log n), O(1) for an empty column.
  [[nodiscard]] const Value* find(std::size_t index) const {
    if (indexes_.empty()) return nullptr;
    const auto at = std::lower_bound(indexes_.begin(), indexes_.end(), index);
    if (at == indexes_.end() || *at != index) return nullptr;
    return &values_[static_cast<std::size_t>(at - indexes_.begin())];
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return indexes_.capacity() * sizeof(std::uint32_t) + values_.capacity() * sizeof(Value);
  }

 private:
  std::vector<std::uint32_t> indexes_;
  std::vector<Value> values_;
};

}  // namespace dgfs::format
