// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Patch: edits of one value that were made without looking at it, as few as say the same.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "delta/store/message/edit.h"

namespace dgfs::delta {

/// Edits in the order in which they were made; those that are no field's change by their offsets,
/// as long as there are no others. What later ones make superfluous is left out: pieces are joined
/// where they touch, and so are zeros, a piece or zeros swallow what lies within them, and fields
/// of the same kind of change are one. An edit that covers a part of a large
/// piece cuts that part off. A value: a copy
/// costs O(1), and whoever changes one of two that share their edits has a copy of these made.
class Patch {
 public:
  Patch() = default;
  /// @param edits        of another patch
  /// @param least_bytes  of the same
  explicit Patch(Edits edits, std::uint64_t least_bytes = 0);

  /// Adds an edit, which may change, join or replace those before.
  /// Cost: O(number of edits and bytes of those that it touches).
  void add(Edit edit);
  /// The edits of `newer`, in order.
  void add(Patch newer);

  [[nodiscard]] bool empty() const { return edits().empty() && least_bytes_ == 0; }
  [[nodiscard]] const Edits& edits() const { return shared_ ? shared_->edits : kNone; }
  /// A value that is shorter grows to this, whatever the edits say: bytes that lengthened it were
  /// replaced by zeros, which do not. 0: none were.
  [[nodiscard]] std::uint64_t least_bytes() const { return least_bytes_; }
  /// No field's change: edits are in the order of their offsets.
  [[nodiscard]] bool is_ordered() const { return is_ordered_; }
  /// Whether add(newer) copies nothing but the bytes of that, and allocates nothing.
  [[nodiscard]] bool takes_in_place(const Patch& newer) const;
  /// Whether there is any large piece. O(number of edits).
  [[nodiscard]] bool has_large() const;
  /// What one of the edits takes of memory, about; of a large piece without its bytes.
  [[nodiscard]] static std::size_t bytes_of(const Edit& edit);
  /// What they take together, the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const;
  /// Changes `value`. Not if there are large pieces.
  void apply_to(std::string& value) const;
  /// The same of any. Errors and `has_waited`: as of LargePieces::load().
  [[nodiscard]] Status apply_to(std::string& value, const ExtentVolume& volume,
                                bool* has_waited = nullptr) const;

  friend bool operator==(const Patch& a, const Patch& b) {
    return a.edits() == b.edits() && a.least_bytes_ == b.least_bytes_;
  }

 private:
  struct Shared : boost::intrusive_ref_counter<Shared> {
    Shared() = default;
    explicit Shared(Edits all) : edits(std::move(all)) {}
    Edits edits;
  };

  /// To be changed.
  [[nodiscard]] Edits& to_change();
  [[nodiscard]] bool is_shared() const { return shared_ && shared_->use_count() > 1; }
  /// The last edit, if `edit` is a piece that goes on where that ends; null: it is not.
  [[nodiscard]] const Piece* appended_to(const Edit& edit) const;
  void append(const Piece& piece);
  void add_in_order(Piece piece);
  void add_in_order(Zeros zeros);
  void add_in_order(LargePiece piece);
  void add_piece(Piece piece);
  void add_large(LargePiece piece);
  void add_zeros(Zeros zeros);
  void add_field(FieldChange change);
  void replace(std::size_t begin, std::size_t end, Edits others);
  void swallow(std::size_t at);

  static const Edits kNone;
  boost::intrusive_ptr<Shared> shared_;  ///< null: no edits
  std::uint64_t least_bytes_ = 0;
  bool is_ordered_ = true;  ///< no field's change; by their offsets, and none touches its like
};

}  // namespace dgfs::delta
