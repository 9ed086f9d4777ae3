// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Run: messages in key order with the range deletes that lie beneath them, which is what a frozen
// table, a buffer of a node and a basement hold alike. Within a run all fragments are older than
// all points, and between two runs of one place all of one is older than all of the other. So
// neither memory nor disk keeps a sequence number for each message.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/tree/fragments.h"
#include "delta/tree/message.h"

namespace dgfs::delta {

/// A key with its message.
struct Point {
  std::string key;
  Message message;

  [[nodiscard]] std::size_t size_bytes() const {
    return sizeof(std::string) + key.size() + message.size_bytes();
  }
  friend bool operator==(const Point&, const Point&) = default;
};

/// Never changes. Thread-safe.
class Run {
 public:
  /// @param points     in strictly rising order of keys; none is a patch or a removal of a key that
  ///                   a fragment covers
  /// @param fragments  older than the points
  Run(std::vector<Point> points, Fragments fragments);

  /// What the run says of a key; null: nothing. Lives as long as the run. O(log n).
  [[nodiscard]] const Message* find(std::string_view key) const;
  /// The first point whose key is not below `key`.
  [[nodiscard]] std::vector<Point>::const_iterator lower_bound(std::string_view key) const;

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  [[nodiscard]] const Fragments& fragments() const { return fragments_; }
  [[nodiscard]] bool empty() const { return points_.empty() && fragments_.empty(); }
  /// What it takes of memory, about.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  /// Of its large values, which must be bound, in the extent volume.
  [[nodiscard]] std::vector<Extent> values() const;

  /// Appends; large values must be bound. The bytes are those of blocks and of groups of the log
  /// (run_codec.cpp).
  void encode(Buffer& out) const;
  /// All that the constructor asks for is checked. Errors: kCorrupt, with the offset in `bytes`.
  /// Memory: in the order of bytes.size().
  [[nodiscard]] static Result<std::shared_ptr<const Run>> decode(Bytes bytes);

  friend bool operator==(const Run& a, const Run& b) {
    return a.points_ == b.points_ && a.fragments_ == b.fragments_;
  }

 private:
  std::vector<Point> points_;
  Fragments fragments_;
  std::size_t size_bytes_ = 0;
};

/// Runs never change, so whoever needs one shares it.
using RunRef = std::shared_ptr<const Run>;

/// Says nothing.
[[nodiscard]] RunRef empty_run();
/// What both say together. Cost: O(size of both), nothing if either says nothing.
[[nodiscard]] RunRef merged(const RunRef& older, const RunRef& newer);
/// From the oldest to the newest; at least one.
[[nodiscard]] RunRef merged(std::vector<RunRef> runs);
/// Those points and parts of fragments that lie in `range`.
[[nodiscard]] RunRef clipped(const Run& run, const KeyRange& range);
/// For the lowest level of all: what nothing lies beneath. Removals and fragments have done their
/// work, patches change empty values.
[[nodiscard]] RunRef settled(const Run& run);

}  // namespace dgfs::delta
