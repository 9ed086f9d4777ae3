// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/attribute_table.h"

#include "format/coding.h"
#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kCombinationBytes = 12;

/// Equal combinations have equal hashes; the few that collide share a bucket.
std::uint64_t hash_of(const AttributeCombination& combination) {
  const std::uint64_t owners = static_cast<std::uint64_t>(combination.uid) << 32 | combination.gid;
  return (owners ^ combination.mode) * 0x9e3779b97f4a7c15U + combination.mode;
}

}  // namespace

std::optional<AttributeCombination> AttributeTable::at(std::size_t number) const {
  if (number >= combinations_.size()) return std::nullopt;
  return combinations_[number];
}

std::optional<AttributeCombination> AttributeTable::at(std::size_t number,
                                                       std::uint32_t type) const {
  if (is_substitute_) {
    return AttributeCombination{type | (is_directory(type) ? 0700U : 0600U), 0, 0};
  }
  if (number >= combinations_.size() || type_of(combinations_[number].mode) != type) {
    return std::nullopt;
  }
  return combinations_[number];
}

std::optional<std::uint32_t> AttributeTable::find(const AttributeCombination& combination) const {
  const auto bucket = numbers_by_hash_.find(hash_of(combination));
  if (bucket == numbers_by_hash_.end()) return std::nullopt;
  for (const auto number : bucket->second) {
    if (combinations_[number] == combination) return number;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> AttributeTable::intern(const AttributeCombination& combination) {
  if (const auto known = find(combination)) return known;
  if (combinations_.size() == kAttributeTableEntriesMax) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(combinations_.size());
  combinations_.push_back(combination);
  numbers_by_hash_[hash_of(combination)].push_back(number);
  return number;
}

void AttributeTable::encode(Buffer& out) const {
  Encoder encoder(out);
  encoder.fixed(id_);
  encoder.varint(combinations_.size());
  for (const auto& combination : combinations_) encoder.fixed(combination.mode);
  for (const auto& combination : combinations_) encoder.fixed(combination.uid);
  for (const auto& combination : combinations_) encoder.fixed(combination.gid);
}

Result<AttributeTable> AttributeTable::decode(Bytes bytes) {
  Decoder decoder(bytes);
  DGFS_TRY(id, decoder.fixed<std::uint16_t>());
  DGFS_TRY(count, decoder.varint_up_to(kAttributeTableEntriesMax));
  const auto begin = decoder.offset();
  if (decoder.remaining() != count * kCombinationBytes) {
    return Error(ErrorKind::kCorrupt, 2110, "attribute table has the wrong length")
        .at_offset(begin);
  }
  AttributeTable table(id);
  table.combinations_.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    AttributeCombination combination;
    combination.mode = load<std::uint32_t>(bytes, begin + i * 4);
    combination.uid = load<std::uint32_t>(bytes, begin + (count + i) * 4);
    combination.gid = load<std::uint32_t>(bytes, begin + (2 * count + i) * 4);
    if (!is_valid_mode(combination.mode)) {
      return Error(ErrorKind::kCorrupt, 2111, "attribute table has an invalid mode")
          .at_offset(begin + i * 4);
    }
    if (table.intern(combination) != i) {
      return Error(ErrorKind::kCorrupt, 2112, "attribute table has a duplicate")
          .at_offset(begin + i * 4);
    }
  }
  return table;
}

}  // namespace dgfs::format
