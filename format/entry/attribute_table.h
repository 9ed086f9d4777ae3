// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Attribute combinations: the few (mode, owner, group) triples of a tree, interned, so that an
// entry stores a small number. An index may hold several tables (generations). Each page names its
// own table by id, so pages of different origin can stand side by side after a merge.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

struct AttributeCombination {
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  friend bool operator==(const AttributeCombination&, const AttributeCombination&) = default;
};

/// A table that is being built or was loaded. Numbers count from 0 in order of first use.
/// Thread-safe for const calls.
class AttributeTable {
 public:
  explicit AttributeTable(std::uint16_t id) : id_(id) {}
  /// Replaces a table that is lost. It has every number, with permissions for the owner only, and
  /// with owner and group 0.
  [[nodiscard]] static AttributeTable substitute(std::uint16_t id) {
    AttributeTable table(id);
    table.is_substitute_ = true;
    return table;
  }

  [[nodiscard]] std::uint16_t id() const { return id_; }
  [[nodiscard]] std::size_t size() const { return combinations_.size(); }
  /// nullopt if `number` is beyond the end.
  [[nodiscard]] std::optional<AttributeCombination> at(std::size_t number) const;
  /// nullopt also if the mode is of another type (F-152).
  [[nodiscard]] std::optional<AttributeCombination> at(std::size_t number,
                                                       std::uint32_t type) const;
  /// Number of `combination`; adds it if it is new. nullopt if it is new and the table is full
  /// (kAttributeTableEntriesMax).
  std::optional<std::uint32_t> intern(const AttributeCombination& combination);
  /// Number of `combination`; nullopt if the table does not have it.
  [[nodiscard]] std::optional<std::uint32_t> find(const AttributeCombination& combination) const;

  /// Appends the table's bytes to `out`; decode() reads exactly those.
  void encode(Buffer& out) const;
  /// kCorrupt for an invalid mode, a duplicate or a wrong length.
  [[nodiscard]] static Result<AttributeTable> decode(Bytes bytes);

 private:
  std::uint16_t id_;
  bool is_substitute_ = false;
  std::vector<AttributeCombination> combinations_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> numbers_by_hash_;
};

}  // namespace dgfs::format
