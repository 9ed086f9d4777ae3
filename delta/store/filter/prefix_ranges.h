// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PrefixRanges: ranges of prefixes that a filter lets through as a whole; range deletes of many
// objects make them. There are at most kRangesMax: beyond that, neighbours with the smallest gap
// are joined, together with the gap.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "delta/store/run/object_key.h"

namespace dgfs::delta {

/// From a prefix to another one, both included. A value.
struct PrefixRange {
  ObjectPrefix first;
  ObjectPrefix last;  ///< not before `first`

  [[nodiscard]] bool contains(const ObjectPrefix& prefix) const {
    return first <= prefix && prefix <= last;
  }
  friend bool operator==(const PrefixRange&, const PrefixRange&) = default;
};

/// Which objects of each class are not young. A value.
class OlderObjects {
 public:
  /// @param born_object  as of StoreParameters
  explicit OlderObjects(std::uint64_t born_object) : born_object_(born_object) {}

  [[nodiscard]] bool empty() const { return born_object_ == 0; }
  [[nodiscard]] bool contains(std::uint64_t object) const {
    return object < born_object_ || born_object_ == UINT64_MAX;
  }
  /// The following require that there are older objects.
  [[nodiscard]] std::uint64_t highest() const {
    return born_object_ == UINT64_MAX ? UINT64_MAX : born_object_ - 1;
  }
  [[nodiscard]] PrefixRange all() const { return {{0, 0}, {UINT8_MAX, highest()}}; }
  /// The next prefix; none: this is the last.
  [[nodiscard]] std::optional<ObjectPrefix> next(const ObjectPrefix& prefix) const;
  /// The prefixes of older objects among the keys of a range; none: it has no key of an older
  /// object.
  [[nodiscard]] std::optional<PrefixRange> prefixes_of(const KeyRange& range) const;

 private:
  std::uint64_t born_object_;
};

/// Never changes. The ranges are in order, and no two touch. Thread-safe.
class PrefixRanges {
 public:
  static constexpr std::size_t kRangesMax = 1024;

  PrefixRanges() = default;
  /// @param ranges  is_valid() is true of them
  explicit PrefixRanges(std::vector<PrefixRange> ranges) : ranges_(std::move(ranges)) {}
  /// Whether the ranges are of older objects, few enough, in order, and apart.
  [[nodiscard]] static bool is_valid(const std::vector<PrefixRange>& ranges,
                                     const OlderObjects& older);

  /// The range that has a prefix; null: none. O(log n).
  [[nodiscard]] const PrefixRange* find(const ObjectPrefix& prefix) const;
  /// These ranges and another one. O(n).
  [[nodiscard]] PrefixRanges with(PrefixRange range, const OlderObjects& older) const;

  [[nodiscard]] const std::vector<PrefixRange>& all() const { return ranges_; }

 private:
  void join_nearest(const OlderObjects& older);

  std::vector<PrefixRange> ranges_;
};

using PrefixRangesRef = std::shared_ptr<const PrefixRanges>;

}  // namespace dgfs::delta
