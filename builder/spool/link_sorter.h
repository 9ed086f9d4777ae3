// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The link sorter: finds for each name of a multiply linked object the first name of that object in
// the tree. Handles any number of objects.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "builder/spool/run_sorter.h"

namespace dgfs::builder {

/// A name of an object that has at least two names in the tree.
struct LinkName {
  std::uint64_t position = 0;        ///< of the name in the tree spool
  std::uint64_t first_position = 0;  ///< position of the object's first name
  /// 0: not multiply linked. For the first name: number of names of the object in the tree. For a
  /// further name: number of names up to this one.
  std::uint64_t name_count = 0;
  [[nodiscard]] bool is_link() const { return name_count != 0; }
  [[nodiscard]] bool is_first() const { return is_link() && position == first_position; }
  friend bool operator==(const LinkName&, const LinkName&) = default;
};

/// Link names in the order of positions, for one pass.
class LinkNames {
 public:
  explicit LinkNames(std::unique_ptr<SortedRecords> records) : records_(std::move(records)) {}
  /// The link name at `position`. Positions must rise from call to call.
  [[nodiscard]] Result<LinkName> at(std::uint64_t position);

 private:
  std::unique_ptr<SortedRecords> records_;
  std::optional<LinkName> next_;
  bool started_ = false;
};

class LinkSorter {
 public:
  /// @param memory_bytes  bound of its memory, without buffers of spools
  LinkSorter(SpoolPlace place, std::size_t memory_bytes);

  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status add(std::uint64_t device, std::uint64_t inode, std::uint64_t position);
  [[nodiscard]] Result<LinkNames> finish() &&;

 private:
  SpoolPlace place_;
  std::size_t memory_bytes_;
  RunSorter by_object_;
};

}  // namespace dgfs::builder
