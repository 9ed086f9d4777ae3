// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SideRecords: what is too large or too rare for pages: long symlink targets, xattr sets, maps of
// sparse files. One read each.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "format/section/sparse_map.h"
#include "reader/counter_cells.h"
#include "reader/index/source.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Thread-safe. Records are read from the second index copy where the first is damaged. Nodes are
/// given as Image handed them out. Errors: kIo, kCorrupt.
class SideRecords {
 public:
  SideRecords(const IndexSource& source, CounterCells& counters)
      : source_(source), counters_(counters) {}

  /// Target of a symlink, its long one if it has one.
  [[nodiscard]] Result<std::string> target(const Node& node) const;
  /// Empty without a read where there are none.
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const Node& node) const;
  /// The map of a node that has one.
  [[nodiscard]] Result<format::SparseMap> sparse_map(const Node& node) const;

  /// The same records of one copy only; for verify.
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
