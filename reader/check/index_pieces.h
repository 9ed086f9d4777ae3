// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Visits the pieces of an index that can be checked alone: superblock, pages, sealed blocks, sealed
// records, and the zeros between sections. A piece damaged in one copy may be intact in the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "reader/index/copy.h"
#include "reader/index/tables.h"

namespace dgfs::reader {

/// visit_pieces() calls it for each piece.
class PieceVisitor {
 public:
  virtual ~PieceVisitor() = default;
  PieceVisitor() = default;
  PieceVisitor(const PieceVisitor&) = delete;
  PieceVisitor& operator=(const PieceVisitor&) = delete;

  /// Intact bytes of the index from `offset` on. Calls may overlap (the bytes of a side section,
  /// and its records); a writer must write them in the order of the calls.
  [[nodiscard]] virtual Status intact(std::uint64_t offset, Bytes bytes) = 0;
  /// The piece is damaged in copy number `copy`, and intact in the other copy.
  virtual void damaged(std::size_t copy, std::uint64_t offset, std::size_t length,
                       const Error& error) = 0;
  /// No copy has the piece intact, or intact copies of it differ.
  virtual void lost(const Error& error) = 0;
};

/// Visits all pieces of an index. `copies` are one or two, with equal superblocks. Reads each copy
/// once, and pages twice if there are side records. Memory: 8 bytes for each side record. Errors:
/// kInterrupted, those of the visitor.
/// @param tables  of the same index
[[nodiscard]] Status visit_pieces(std::span<const IndexCopy* const> copies,
                                  const IndexTables& tables, PieceVisitor& visitor,
                                  const std::atomic<bool>* stop);

}  // namespace dgfs::reader
