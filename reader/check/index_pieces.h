// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The pieces of an index that are checked by themselves: superblock, pages, sealed blocks, sealed
// records, and the zeros between sections. What one copy has lost, another may have.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "reader/index/copy.h"
#include "reader/index/tables.h"

namespace dgfs::reader {

/// Told of each piece by visit_pieces().
class PieceVisitor {
 public:
  virtual ~PieceVisitor() = default;
  PieceVisitor() = default;
  PieceVisitor(const PieceVisitor&) = delete;
  PieceVisitor& operator=(const PieceVisitor&) = delete;

  /// The bytes from `offset` of the index on, as an intact copy has them. Overlaps, as of the bytes
  /// of a side section and its records, are told in the order in which they are to be written.
  [[nodiscard]] virtual Status intact(std::uint64_t offset, Bytes bytes) = 0;
  /// Copy number `copy` has this piece damaged; another one has it intact.
  virtual void damaged(std::size_t copy, std::uint64_t offset, std::size_t length,
                       const Error& error) = 0;
  /// No copy has it, or each has another.
  virtual void lost(const Error& error) = 0;
};

/// Goes through all pieces of an index, of which `copies` (one or two) have equal superblocks.
/// Reads each copy once, and pages once more where there are side records. Memory: 8 bytes for each
/// side record. Errors: kInterrupted, those of the visitor.
/// @param tables  of the same index
[[nodiscard]] Status visit_pieces(std::span<const IndexCopy* const> copies,
                                  const IndexTables& tables, PieceVisitor& visitor,
                                  const std::atomic<bool>* stop);

}  // namespace dgfs::reader
