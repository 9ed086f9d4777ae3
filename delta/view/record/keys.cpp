// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/record/keys.h"

#include <utility>

namespace dgfs::view {
namespace {

std::string big_endian(std::uint64_t number) {
  std::string bytes(kNumberValueBytes, '\0');
  for (std::size_t i = kNumberValueBytes; i-- > 0; number >>= 8)
    bytes[i] = static_cast<char>(number);
  return bytes;
}

}  // namespace

std::string name_key(ObjectNumber object, ObjectNumber directory, std::string_view name) {
  auto rest = big_endian(directory);
  rest += name;
  return key_of(RecordClass::kName, object, rest);
}

std::string chunk_key(ObjectNumber object, std::uint64_t chunk) {
  return key_of(RecordClass::kChunk, object, big_endian(chunk));
}

delta::KeyRange chunk_keys(ObjectNumber object, std::uint64_t begin,
                           std::optional<std::uint64_t> end) {
  auto first = chunk_key(object, begin);
  if (end) return {std::move(first), chunk_key(object, *end)};
  return {std::move(first), keys_of(RecordClass::kChunk, object).end};
}

std::optional<std::uint64_t> chunk_of(std::string_view rest) {
  if (rest.size() != kNumberValueBytes) return std::nullopt;
  std::uint64_t number = 0;
  for (const char byte : rest) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

delta::KeyRange keys_of(RecordClass record, ObjectNumber object) {
  auto begin = key_of(record, object);
  if (object == UINT64_MAX) return {std::move(begin), keys_of(record).end};
  return {std::move(begin), key_of(record, object + 1)};
}

delta::KeyRange keys_of(RecordClass record) {
  const auto first = static_cast<std::uint8_t>(record);
  return {delta::object_key(first, 0), delta::object_key(static_cast<std::uint8_t>(first + 1), 0)};
}

ObjectNumber object_of(std::string_view key) { return delta::prefix_of(key).object; }

std::optional<NamePlace> name_place_of(std::string_view rest) {
  if (rest.size() <= kNumberValueBytes) return std::nullopt;
  NamePlace place;
  for (const char byte : rest.substr(0, kNumberValueBytes)) {
    place.directory = place.directory << 8 | static_cast<std::uint8_t>(byte);
  }
  place.name = rest.substr(kNumberValueBytes);
  return place;
}

std::string number_value(std::uint64_t number) {
  std::string bytes(kNumberValueBytes, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(number);
    number >>= 8;
  }
  return bytes;
}

std::optional<std::uint64_t> number_of_value(std::string_view value) {
  if (value.size() != kNumberValueBytes) return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = kNumberValueBytes; i-- > 0;) {
    number = number << 8 | static_cast<std::uint8_t>(value[i]);
  }
  return number;
}

}  // namespace dgfs::view
