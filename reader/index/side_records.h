// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SideRecords: reads data that is too large or too rare for pages: long symlink targets, xattr
// sets, sparse maps. One read each.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "format/section/sparse_map.h"
#include "reader/counter_cells.h"
#include "reader/index/source.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Thread-safe. Reads damaged records from the second index copy. Nodes must come from Image.
/// References must outlive it. Errors: kIo, kCorrupt.
class SideRecords {
 public:
  SideRecords(const IndexSource& source, CounterCells& counters)
      : source_(source), counters_(counters) {}

  /// Target of a symlink; no read for a short one.
  [[nodiscard]] Result<std::string> target(const Node& node) const;
  /// Extended attributes; empty without a read if there are none.
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const Node& node) const;
  /// Sparse map of a node, which must have one.
  [[nodiscard]] Result<format::SparseMap> sparse_map(const Node& node) const;

  /// Checks all records of a node in one copy; for verify.
  [[nodiscard]] Status check(const IndexCopy& copy, const Node& node) const;

 private:
  template <class Decode>
  [[nodiscard]] auto read(const IndexCopy& copy, format::SectionKind kind,
                          const format::SideRef& ref, std::uint64_t length_bytes_max,
                          const Decode& decode) const -> decltype(decode(Bytes()));
  [[nodiscard]] Result<std::string> target_of(const IndexCopy& copy, const Node& node) const;
  [[nodiscard]] Result<std::vector<Xattr>> xattrs_of(const IndexCopy& copy, const Node& node) const;
  [[nodiscard]] Result<format::SparseMap> map_of(const IndexCopy& copy, const Node& node) const;

  const IndexSource& source_;
  CounterCells& counters_;
};

}  // namespace dgfs::reader
