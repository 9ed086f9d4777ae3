// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Ranges of keys, and the range tombstones of range deletes: sorted, disjoint, and joined if they
// touch, so that many deletes of one stretch are one range tombstone. (RocksDB has the word. Here a
// range tombstone needs no sequence number, because it is older than all points of its level.)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dgfs::delta {

/// The end of a range: the first key behind it; none: the end of all keys.
using KeyEnd = std::optional<std::string>;

/// Whether a key lies before the end.
[[nodiscard]] inline bool is_before(std::string_view key, const KeyEnd& end) {
  return !end || key < *end;
}
[[nodiscard]] inline bool ends_before(const KeyEnd& a, const KeyEnd& b) {
  return a && is_before(std::string_view(*a), b);
}

/// Keys from `begin` on and before `end`. A value.
struct KeyRange {
  std::string begin;
  KeyEnd end;

  [[nodiscard]] bool empty() const { return end && *end <= begin; }
  [[nodiscard]] bool contains(std::string_view key) const {
    return begin <= key && is_before(key, end);
  }
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// All keys that begin with `prefix`.
[[nodiscard]] KeyRange prefix_range(std::string prefix);

/// Not thread-safe for writing; any number of readers.
class RangeTombstones {
 public:
  using Map = std::map<std::string, KeyEnd, std::less<>>;  ///< begin to end

  /// Adds a range, and joins it with those that it overlaps or touches.
  /// Cost: O(log n), plus the number of those.
  void add(KeyRange range);
  void add(const RangeTombstones& others);

  /// O(log n).
  [[nodiscard]] bool covers(std::string_view key) const { return find(key) != map_.end(); }
  /// Whether all of a range is covered. True of an empty range.
  [[nodiscard]] bool covers(const KeyRange& range) const;
  /// Whether any part of a range is covered. False of an empty range.
  [[nodiscard]] bool overlaps(const KeyRange& range) const;
  /// The range tombstone that covers `key`, or end().
  [[nodiscard]] Map::const_iterator find(std::string_view key) const;
  /// The first range tombstone that does not begin before `key`, or end().
  [[nodiscard]] Map::const_iterator lower_bound(std::string_view key) const {
    return map_.lower_bound(key);
  }
  /// The range tombstone that covers the keys right before `key`, or end().
  [[nodiscard]] Map::const_iterator find_before(const KeyEnd& key) const;
  /// The parts that lie in `range`.
  [[nodiscard]] RangeTombstones clipped(const KeyRange& range) const;

  [[nodiscard]] bool empty() const { return map_.empty(); }
  [[nodiscard]] std::size_t size() const { return map_.size(); }
  [[nodiscard]] Map::const_iterator begin() const { return map_.begin(); }
  [[nodiscard]] Map::const_iterator end() const { return map_.end(); }
  /// Roughly the memory of one: a node of the map and its strings.
  [[nodiscard]] static std::size_t bytes_of(std::string_view begin, const KeyEnd& end) {
    return kTombstoneBytes + begin.size() + (end ? end->size() : 0);
  }
  [[nodiscard]] static std::size_t bytes_of(const Map::value_type& tombstone) {
    return bytes_of(tombstone.first, tombstone.second);
  }
  /// The memory of all, the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  friend bool operator==(const RangeTombstones& a, const RangeTombstones& b) {
    return a.map_ == b.map_;
  }

 private:
  static constexpr std::size_t kTombstoneBytes = 96;

  Map map_;
  std::size_t size_bytes_ = 0;
};

}  // namespace dgfs::delta
