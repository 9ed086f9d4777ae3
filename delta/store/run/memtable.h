// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memtable: takes operations as they come and keeps what they say together, one message a key.
#pragma once

#include <cstddef>
#include <string_view>

#include "delta/store/run/batch.h"
#include "delta/store/run/persistent_map.h"
#include "delta/store/run/run.h"
#include "delta/store/run/run_builder.h"

namespace dgfs::delta {

/// A value. A copy costs O(1), and later changes of the table do not change the copy. Each copy may
/// have one writer, or any number of readers.
class Memtable {
 public:
  /// Cost: O(log n); a range delete further the number of keys and range tombstones that it covers.
  void apply(const Operation& operation);
  void apply(const Batch& batch);

  /// Whether an operation would take out more than some hundreds of keys and range tombstones,
  /// which takes time. O(log n).
  [[nodiscard]] bool is_long(const Operation& operation) const;

  /// Applies the operations of a batch up to the first that is long. False: there is one, and the
  /// table has a part of the batch.
  [[nodiscard]] bool apply_unless_long(const Batch& batch);
  /// How many bytes of values apply() may copy to put them together: those of the batch's patches,
  /// and of what they change where that is not changed in place. Cost: O(number of operations), and
  /// a lookup of each patch where a message has ever been long.
  [[nodiscard]] std::size_t copies_at_most(const Batch& batch) const;

  /// What an operation adds to size_bytes(), at most, about.
  [[nodiscard]] static std::size_t bytes_of(const Operation& operation);

  /// As Run::find.
  [[nodiscard]] const Message* find(std::string_view key) const;
  [[nodiscard]] bool empty() const { return points_.empty() && tombstones_.empty(); }
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  /// All that is in it. O(n).
  [[nodiscard]] RunRef run() const;
  /// What is in it from a key on, or right before one.
  /// @param key        none: the end of all keys, with `before`
  /// @param count_max  of points, and of range tombstones; at least 1
  /// Cost: O(log n), and a step for each.
  [[nodiscard]] KnownRange part(const KeyEnd& key, bool before, std::size_t count_max) const;
  /// All that is in it, and leaves it empty.
  [[nodiscard]] RunRef freeze();

 private:
  using Points = PersistentMap<Message>;
  using Tombstones = PersistentMap<KeyEnd>;  ///< as RangeTombstones has them: begin to end

  [[nodiscard]] const Tombstones::Entry* tombstone_over(std::string_view key) const;
  [[nodiscard]] bool is_copied_to_change(const Points::Entry& there, const Message& newer) const;
  void put(std::string_view key, Message message);
  void erase_point(std::string_view key);
  void erase_tombstone(const Tombstones::Entry& tombstone);
  void remove(const KeyRange& range);
  void add_tombstone(KeyRange range);
  [[nodiscard]] KeyRange part_behind(const std::string& key, std::size_t count_max) const;
  [[nodiscard]] KeyRange part_before(const KeyEnd& key, std::size_t count_max) const;
  [[nodiscard]] RunRef run_of(const KeyRange& range, RunBuilder made) const;

  Points points_;
  Tombstones tombstones_;
  std::size_t count_ = 0;  ///< of the points
  std::size_t size_bytes_ = 0;
  std::size_t longest_bytes_ = 0;  ///< of what messages had to copy, so far
};

}  // namespace dgfs::delta
