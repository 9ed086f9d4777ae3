// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Keys of the records that a view keeps in its stores: a class, an object, and a rest.
//
//   class  object     rest                   value
//   A      object     -                      attributes (attributes_record.h)
//   C      file       number of a chunk (8)  bytes of the chunk (contents/chunks.h)
//   D      directory  name                   dentry (dentry.h)
//   L      symlink    -                      target
//   N      object     directory (8), name    empty: the delta has given the object this name
//   O      object     -                      empty: the object is an orphan
//   P      directory  -                      its parent directory (8)
//   R      0          -                      first object number that is not reserved (8)
//   X      object     name of an attribute   value of the attribute
//
// Numbers of 8 bytes in rests are big-endian, so that keys are in their order; numbers in values
// are little-endian, so that they are fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "delta/store/run/object_key.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// Classes of records. Stores on disk have these numbers.
enum class RecordClass : std::uint8_t {
  kAttributes = 'A',
  kChunk = 'C',
  kDentry = 'D',
  kTarget = 'L',
  kName = 'N',
  kOrphan = 'O',
  kParent = 'P',
  kReserved = 'R',
  kXattr = 'X',
};

/// A name of an object. A value.
struct NamePlace {
  ObjectNumber directory = 0;
  std::string name;

  friend auto operator<=>(const NamePlace&, const NamePlace&) = default;
};

[[nodiscard]] inline std::string key_of(RecordClass record, ObjectNumber object,
                                        std::string_view rest = {}) {
  return delta::object_key(static_cast<std::uint8_t>(record), object, rest);
}
[[nodiscard]] std::string name_key(ObjectNumber object, ObjectNumber directory,
                                   std::string_view name);
[[nodiscard]] std::string chunk_key(ObjectNumber object, std::uint64_t chunk);
/// Chunks of an object from `begin` on, before `end`; nullopt: all that follow.
[[nodiscard]] delta::KeyRange chunk_keys(ObjectNumber object, std::uint64_t begin,
                                         std::optional<std::uint64_t> end);
/// nullopt: not the rest of a key of kChunk.
[[nodiscard]] std::optional<std::uint64_t> chunk_of(std::string_view rest);
/// All keys of a class for one object.
[[nodiscard]] delta::KeyRange keys_of(RecordClass record, ObjectNumber object);
/// All keys of a class.
[[nodiscard]] delta::KeyRange keys_of(RecordClass record);

[[nodiscard]] ObjectNumber object_of(std::string_view key);
[[nodiscard]] inline std::string_view rest_of(std::string_view key) {
  return key.substr(std::min(key.size(), delta::kObjectKeyBytes));
}
/// nullopt: not the rest of a key of kName.
[[nodiscard]] std::optional<NamePlace> name_place_of(std::string_view rest);

inline constexpr std::size_t kNumberValueBytes = 8;
/// A number as a value.
[[nodiscard]] std::string number_value(std::uint64_t number);
/// nullopt: wrong length.
[[nodiscard]] std::optional<std::uint64_t> number_of_value(std::string_view value);

}  // namespace dgfs::view
