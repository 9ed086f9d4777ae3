// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Link names: the index's lists of the names of multiply linked objects. The first call for a list
// reads their table; before that the lists take no read and no memory.
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

/// Thread-safe. Reads damaged blocks from the second index copy. Errors: kIo, kCorrupt.
class LinkNames {
 public:
  /// Both must outlive it.
  LinkNames(const IndexSource& source, CounterCells& counters)
      : source_(source), counters_(counters) {}

  /// Whether the index has the lists.
  [[nodiscard]] bool are_listed() const;
  /// Ordinals of all names of an object, rising. Empty if the object is not in the lists: they
  /// leave out objects with one name. Needs are_listed(). Once the table is loaded, one read for
  /// each block with these names: one block, unless there are too many names for it.
  [[nodiscard]] Result<std::vector<Ordinal>> of(InodeNumber inode) const;
  /// Memory of the table; 0 until it is loaded.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Checks table and blocks of one copy, and reports the damage.
  /// @param names  of multiply linked objects in the tree, to compare the lists with; gets sorted.
  ///               null: unknown
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
  mutable TablePointer table_;  ///< guarded by mutex_; never changes once set
};

}  // namespace dgfs::reader
