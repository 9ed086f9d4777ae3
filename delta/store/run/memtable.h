// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memtable: takes operations and keeps one message for each key.
#pragma once

#include <cstddef>
#include <string_view>

#include "delta/store/run/batch.h"
#include "delta/store/run/persistent_map.h"
#include "delta/store/run/run.h"
#include "delta/store/run/run_builder.h"

namespace dgfs::delta {

/// A value. A copy costs O(1), and is independent of later changes. Each copy may have one writer
/// or any number of readers.
class Memtable {
 public:
  /// Cost: O(log n); for a range delete, plus the number of keys and range tombstones that it
  /// covers.
  void apply(const Operation& operation);
  void apply(const Batch& batch);

  /// Whether an operation would remove more than some hundreds of keys and range tombstones, which
  /// takes time. O(log n).
  [[nodiscard]] bool is_long(const Operation& operation) const;

  /// Applies the operations of a batch up to the first long one. False: there is one, and the table
  /// has a part of the batch.
  [[nodiscard]] bool apply_unless_long(const Batch& batch);
  /// The most bytes of values that apply() may copy: those of the batch's patches, and those of
  /// changed values that are not changed in place. Cost: O(number of operations), plus a lookup for
  /// each patch once the table has had a long message.
  [[nodiscard]] std::size_t copies_at_most(const Batch& batch) const;

  /// Roughly the most that an operation adds to size_bytes().
  [[nodiscard]] static std::size_t bytes_of(const Operation& operation);

  /// As Run::find.
  [[nodiscard]] const Message* find(std::string_view key) const;
  [[nodiscard]] bool empty() const { return points_.empty() && tombstones_.empty(); }
  /// Roughly its memory.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  /// All of it as a run. O(n).
  [[nodiscard]] RunRef run() const;
  /// Its content from `key` on, or right before it.
  /// @param key        none: the end of all keys, with `before`
  /// @param count_max  of points, and of range tombstones; at least 1
  /// Cost: O(log n), plus a step for each.
  [[nodiscard]] KnownRange part(const KeyEnd& key, bool before, std::size_t count_max) const;
  /// All of it as a run; empties the table.
  [[nodiscard]] RunRef freeze();

 private:
  using Points = PersistentMap<Message>;
  using Tombstones = PersistentMap<KeyEnd>;  ///< begin to end, as in RangeTombstones

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
  std::size_t longest_bytes_ = 0;  ///< of any message that a change had to copy
};

}  // namespace dgfs::delta
