// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Digests: the cryptographic digests of contents in the index, if the build was told to keep them.
// The first call for a digest reads their table; before that they take no read and no memory.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "format/section/digest_table.h"
#include "reader/counter_cells.h"
#include "reader/index/source.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Thread-safe. Reads damaged pages from the second index copy. Errors: kIo, kCorrupt, kUnsupported
/// (an algorithm that this program does not know).
class Digests {
 public:
  /// Both must outlive it.
  Digests(const IndexSource& source, CounterCells& counters)
      : source_(source), counters_(counters) {}

  /// Algorithm of the digests; nullopt if there are none. The first call reads the table.
  [[nodiscard]] Result<std::optional<format::DigestAlgorithm>> algorithm() const;
  /// Digest of a regular file. One page read, once the table is loaded. Errors: also kNotFound if
  /// the index keeps no digests.
  [[nodiscard]] Result<format::Digest> of(const Node& node) const;
  /// Memory of the table; 0 until it is loaded.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Checks table and pages of one copy, and reports the damage. Ignores digests of an unknown
  /// algorithm, like unknown sections.
  static void check(const IndexCopy& copy, const std::function<void(const Error&)>& damaged);

 private:
  using TablePointer = std::shared_ptr<const format::DigestTable>;
  [[nodiscard]] Result<TablePointer> table() const;

  const IndexSource& source_;
  CounterCells& counters_;
  mutable std::mutex mutex_;
  mutable TablePointer table_;  ///< guarded by mutex_; never changes once set
};

}  // namespace dgfs::reader
