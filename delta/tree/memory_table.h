// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MemoryTable: takes operations as they come and keeps what they say together, one message a key.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "delta/batch.h"
#include "delta/tree/run.h"

namespace dgfs::delta {

/// One writer, or any number of readers.
class MemoryTable {
 public:
  /// Cost: O(log n); a range delete further the number of keys and fragments that it covers.
  void apply(const Operation& operation);
  void apply(const Batch& batch);
  /// All that a run says, over what the table has.
  void apply(const Run& run);

  /// What an operation adds to size_bytes(), at most, about.
  [[nodiscard]] static std::size_t bytes_of(const Operation& operation);

  /// As Run::find.
  [[nodiscard]] const Message* find(std::string_view key) const;
  [[nodiscard]] bool empty() const { return points_.empty() && fragments_.empty(); }
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_ + fragments_.size_bytes(); }
  /// All that is in it. O(n).
  [[nodiscard]] RunRef run() const;
  /// The same, and leaves it empty.
  [[nodiscard]] RunRef freeze();

 private:
  using Points = std::map<std::string, Message, std::less<>>;

  void put(std::string key, Message message);
  void remove(const KeyRange& range);

  Points points_;
  Fragments fragments_;
  std::size_t size_bytes_ = 0;  ///< of the points
};

}  // namespace dgfs::delta
