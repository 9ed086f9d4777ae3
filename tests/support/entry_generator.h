// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random but reproducible entries: a tree with every feature an index can store, in key order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/token/row.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// The contents of a generated tree. Chances are per entry, in percent.
struct EntryOptions {
  std::size_t entry_count = 1000;  ///< roughly; the root comes in addition
  unsigned directory_percent = 10;
  unsigned special_percent = 10;  ///< symlinks, devices, FIFOs, sockets
  unsigned link_percent = 5;      ///< names of multiply linked objects
  unsigned feature_percent = 5;   ///< each of: xattrs, sparse map, zstd, address, ctime, atime
  bool wild_names = true;         ///< any bytes except '/' and NUL, up to 255
  bool wild_values = true;        ///< also extreme times, owners, sizes
};

class EntryGenerator {
 public:
  /// @param written_seed  DGFS_TEST_SEED turns it into another seed
  explicit EntryGenerator(std::uint64_t written_seed) : random_(written_seed) {}

  /// A tree's entries with full path keys, rising; the first is the root.
  [[nodiscard]] std::vector<format::Entry> tree(const EntryOptions& options = {});
  /// Records of the link zone, rising.
  [[nodiscard]] std::vector<format::Entry> link_records(std::size_t count,
                                                        const EntryOptions& options = {});

  [[nodiscard]] std::string name(bool wild);
  /// Uniform in [0, end).
  [[nodiscard]] std::uint64_t below(std::uint64_t end);
  [[nodiscard]] bool chance(unsigned percent) { return below(100) < percent; }

 private:
  [[nodiscard]] std::uint64_t any_width();
  [[nodiscard]] Time time(bool wild);
  [[nodiscard]] format::SideRef ref();
  void fill(format::Entry& entry, std::uint32_t type, const EntryOptions& options);
  void fill_regular(format::Entry& entry, const EntryOptions& options);
  void fill_fragment(format::Entry& entry);
  void fill_symlink(format::Entry& entry, const EntryOptions& options);
  [[nodiscard]] std::uint32_t special_type();

  SeededEngine random_;
  format::LastFragment last_fragment_;
};

/// Adds the combinations of all entries; false if the table is full.
bool intern_all(const std::vector<format::Entry>& entries, format::AttributeTable& table);

}  // namespace dgfs::test
