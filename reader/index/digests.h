// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Digests: cryptographic digests of contents, as the index keeps them for those who asked for them
// at its build. Nothing of them is read, nor in memory, before the first is wanted.
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

/// Thread-safe. What is damaged is read from the second index copy. Errors: kIo, kCorrupt,
/// kUnsupported (an algorithm that this program does not know).
class Digests {
 public:
  /// Both must outlive it.
  Digests(const IndexSource& source, CounterCells& counters)
      : source_(source), counters_(counters) {}

  /// Of which algorithm they are; nullopt where there are none. The first call reads the table.
  [[nodiscard]] Result<std::optional<format::DigestAlgorithm>> algorithm() const;
  /// That of a regular file. One read of a page, once the table is there.
  /// Errors: also kNotFound where the index keeps none.
  [[nodiscard]] Result<format::Digest> of(const Node& node) const;
  /// Of the table; 0 until it is there.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Checks table and pages of one copy, and tells what is damaged; of digests of an algorithm that
  /// is not known it says nothing, as of sections that are not.
  static void check(const IndexCopy& copy, const std::function<void(const Error&)>& damaged);

 private:
  using TablePointer = std::shared_ptr<const format::DigestTable>;
  [[nodiscard]] Result<TablePointer> table() const;

  const IndexSource& source_;
  CounterCells& counters_;
  mutable std::mutex mutex_;
  mutable TablePointer table_;  ///< guarded by mutex_; stays as it is once it is set
};

}  // namespace dgfs::reader
