// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Link names: which names the multiply linked objects have, as the index lists them. Nothing of the
// lists is read, nor in memory, before the first is wanted.
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "format/section/link_table.h"
#include "reader/counter_cells.h"
#include "reader/index/source.h"
#include "reader/node.h"

namespace dgfs::reader {

/// A name of a multiply linked object. A value.
struct LinkName {
  InodeNumber inode = 0;
  Ordinal name = 0;
  friend auto operator<=>(const LinkName&, const LinkName&) = default;
};

/// Thread-safe. What is damaged is read from the second index copy. Errors: kIo, kCorrupt.
class LinkNames {
 public:
  /// Both must outlive it.
  LinkNames(const IndexSource& source, CounterCells& counters)
      : source_(source), counters_(counters) {}

  /// Whether the index lists them.
  [[nodiscard]] bool are_listed() const;
  /// Ordinals of all names of an object, rising; empty where the lists do not have it, as those of
  /// objects with one name. Where are_listed() only. Once the table is there, one read of a block,
  /// or one for each block where a block has no room for them.
  [[nodiscard]] Result<std::vector<Ordinal>> of(InodeNumber inode) const;
  /// Of the table; 0 until it is there.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Checks table and blocks of one copy, and tells what is damaged.
  /// @param names  those of the tree, which the lists must have; null: not known
  static void check(const IndexCopy& copy, std::vector<LinkName>* names,
                    const std::function<void(const Error&)>& damaged);

 private:
  using TablePointer = std::shared_ptr<const format::LinkTable>;
  [[nodiscard]] Result<TablePointer> table() const;
  [[nodiscard]] Result<std::vector<Ordinal>> read(const IndexCopy& copy,
                                                  const format::LinkTable& table,
                                                  InodeNumber inode) const;

  const IndexSource& source_;
  CounterCells& counters_;
  mutable std::mutex mutex_;
  mutable TablePointer table_;  ///< guarded by mutex_; stays as it is once it is set
};

}  // namespace dgfs::reader
