// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/object_key.h"

#include <algorithm>

namespace dgfs::delta {
namespace {

constexpr unsigned kClassMax = 255;

std::uint8_t byte_at(std::string_view key, std::size_t at) {
  return at < key.size() ? static_cast<std::uint8_t>(key[at]) : std::uint8_t{0};
}

}  // namespace

ObjectPrefix prefix_of(std::string_view key) {
  ObjectPrefix prefix{byte_at(key, 0), 0};
  for (std::size_t at = 1; at < kObjectKeyBytes; ++at) {
    prefix.object = prefix.object << 8 | byte_at(key, at);
  }
  return prefix;
}

std::string object_key(std::uint8_t object_class, std::uint64_t object, std::string_view rest) {
  std::string key;
  key.reserve(kObjectKeyBytes + rest.size());
  key += static_cast<char>(object_class);
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(object >> shift & 0xFF);
  key += rest;
  return key;
}

// A key without its trailing zeros comes before the key with them.
std::string first_key_of(const ObjectPrefix& prefix) {
  std::string key = object_key(prefix.object_class, prefix.object);
  key.resize(key.find_last_not_of('\0') + 1);
  return key;
}

RangeTombstones over_older_objects(const RangeTombstones& tombstones, std::uint64_t born_object) {
  if (born_object == UINT64_MAX) return tombstones;
  RangeTombstones older;
  if (born_object == 0) return older;
  for (const auto& [begin, end] : tombstones) {
    const unsigned last = end ? prefix_of(*end).object_class : kClassMax;
    for (unsigned each = prefix_of(begin).object_class; each <= last; ++each) {
      const auto object_class = static_cast<std::uint8_t>(each);
      KeyRange part{std::max(begin, first_key_of({object_class, 0})),
                    first_key_of({object_class, born_object})};
      if (ends_before(end, part.end)) part.end = end;
      if (!part.empty()) older.add(std::move(part));
    }
  }
  return older;
}

}  // namespace dgfs::delta
