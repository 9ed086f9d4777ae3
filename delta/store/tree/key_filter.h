// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KeyFilter: tells for most keys that a run does not have them, without reading the run (B. Bloom,
// "Space/Time Trade-offs in Hash Coding with Allowable Errors", 1970). Nodes keep the filters of
// their runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// A value. Thread-safe for reading.
class KeyFilter {
 public:
  /// Lets all keys through.
  KeyFilter() = default;
  /// For the points of a run: lets all of them through, and one in 550 of other keys. Does not
  /// include range tombstones.
  explicit KeyFilter(const Run& run);
  /// Of bits that were made before.
  explicit KeyFilter(Buffer bits) : bits_(std::move(bits)) {}

  [[nodiscard]] static std::uint64_t hash(std::string_view key);
  /// False: the run has no point of the key.
  /// @param hash  of the key
  [[nodiscard]] bool may_have(std::uint64_t hash) const;

  /// Whether it lets all points of a run through.
  [[nodiscard]] bool lets_through(const Run& run) const;

  /// The stored form: fourteen bits a key.
  [[nodiscard]] const Buffer& bits() const { return bits_; }

  friend bool operator==(const KeyFilter&, const KeyFilter&) = default;

 private:
  Buffer bits_;  ///< empty: lets all keys through
};

}  // namespace dgfs::delta
