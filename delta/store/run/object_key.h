// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The structure of keys that a store knows: a class byte, a 64-bit object number, most significant
// byte first, and a rest that only the user interprets. So keys of one class are in the order of
// their objects. Missing bytes of a shorter key count as zeros.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "delta/store/run/range_tombstones.h"

namespace dgfs::delta {

inline constexpr std::size_t kObjectKeyBytes = 9;

/// Class and object of a key. A value; its order is that of the keys.
struct ObjectPrefix {
  std::uint8_t object_class = 0;
  std::uint64_t object = 0;
  friend auto operator<=>(const ObjectPrefix&, const ObjectPrefix&) = default;
};

[[nodiscard]] ObjectPrefix prefix_of(std::string_view key);
[[nodiscard]] std::string object_key(std::uint8_t object_class, std::uint64_t object,
                                     std::string_view rest = {});
/// The first key with this prefix or a higher one.
[[nodiscard]] std::string first_key_of(const ObjectPrefix& prefix);

/// Whether nothing can lie below a key, because its object was born in the store. False for every
/// key if something may lie below all of them.
[[nodiscard]] inline bool is_young(std::string_view key, std::uint64_t born_object) {
  if (born_object == 0 || born_object == UINT64_MAX) return born_object == 0;
  return prefix_of(key).object >= born_object;
}
/// The parts of range tombstones that cover keys that are not young; all of them if born_object is
/// UINT64_MAX.
/// Cost: O(n), at most 256 parts of each.
[[nodiscard]] RangeTombstones over_older_objects(const RangeTombstones& tombstones,
                                                 std::uint64_t born_object);

}  // namespace dgfs::delta
