// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Patch: edits of one value that were made without looking at it, as few as say the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "delta/store/run/edit.h"

namespace dgfs::delta {

/// Edits in the order in which they were made; those that are no field's change by their offsets,
/// as long as there are no others. What later ones make superfluous is left out: pieces are joined
/// where they touch, and so are zeros, a piece or zeros swallow what lies within them, and fields
/// of the same kind of change are one. Of a large piece what is covered is cut off. A value.
class Patch {
 public:
  Patch() = default;
  /// @param edits        of another patch
  /// @param least_bytes  of the same
  explicit Patch(std::vector<Edit> edits, std::uint64_t least_bytes = 0);

  /// Adds an edit, which may change, join or replace those before.
  /// Cost: O(number of edits and bytes of those that it touches).
  void add(Edit edit);
  /// The edits of `newer`, in order.
  void add(Patch newer);

  [[nodiscard]] bool empty() const { return edits_.empty() && least_bytes_ == 0; }
  [[nodiscard]] const std::vector<Edit>& edits() const { return edits_; }
  /// A value that is shorter grows to this, whatever the edits say: bytes that lengthened it were
  /// replaced by zeros, which do not. 0: none were.
  [[nodiscard]] std::uint64_t least_bytes() const { return least_bytes_; }
  /// No field's change: edits are in the order of their offsets.
  [[nodiscard]] bool is_ordered() const { return is_ordered_; }
  /// Whether there is any large piece. O(number of edits).
  [[nodiscard]] bool has_large() const;
  /// What one of the edits takes of memory, about; of a large piece without its bytes.
  [[nodiscard]] static std::size_t bytes_of(const Edit& edit);
  /// What they take together, the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const;
  /// Changes `value`. Not if there are large pieces.
  void apply_to(std::string& value) const;
  /// The same of any. Errors and `has_waited`: as of apply() (edit.h).
  [[nodiscard]] Status apply_to(std::string& value, const ExtentVolume& volume,
                                bool* has_waited = nullptr) const;

  friend bool operator==(const Patch& a, const Patch& b) {
    return a.edits_ == b.edits_ && a.least_bytes_ == b.least_bytes_;
  }

 private:
  void add_in_order(Piece piece);
  void add_in_order(Zeros zeros);
  void add_in_order(LargePiece piece);
  void add_piece(Piece piece);
  void add_large(LargePiece piece);
  void add_zeros(Zeros zeros);
  void add_field(FieldChange change);
  void replace(std::size_t begin, std::size_t end, std::vector<Edit> edits);
  void swallow(std::size_t at);

  std::vector<Edit> edits_;
  std::uint64_t least_bytes_ = 0;
  bool is_ordered_ = true;  ///< no field's change; by their offsets, and none touches its like
};

}  // namespace dgfs::delta
