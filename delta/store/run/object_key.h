// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// All that a store knows of its keys: a class byte, a 64-bit object number, the most significant
// byte first, and a rest that is the user's alone. So keys of one class stand in the order of their
// objects. A key that is shorter has zeros for what it lacks.
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
/// No key before it has this prefix or a higher one, and each one behind it has.
[[nodiscard]] std::string first_key_of(const ObjectPrefix& prefix);

/// Whether nothing can lie below a key, since its object was born in the store; of none, where
/// something may lie below each key.
/// @param born_object  as of StoreParameters
[[nodiscard]] inline bool is_young(std::string_view key, std::uint64_t born_object) {
  if (born_object == 0 || born_object == UINT64_MAX) return born_object == 0;
  return prefix_of(key).object >= born_object;
}
/// What range tombstones say of keys that are not young; of all keys, where there is no young
/// object: UINT64_MAX.
/// Cost: O(n), at most 256 parts of each.
[[nodiscard]] RangeTombstones over_older_objects(const RangeTombstones& tombstones,
                                                 std::uint64_t born_object);

}  // namespace dgfs::delta
