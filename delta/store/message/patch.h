// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Patch: edits of one value that were made without reading it; as few as have the same effect.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "delta/store/message/edit.h"

namespace dgfs::delta {

/// Edits in the order in which they were made; without field changes, in the order of their
/// offsets. A patch keeps no superfluous edits: pieces that touch are joined, and so are zeros; a
/// piece or zeros remove what lies within them; changes of one field with the same operation are
/// combined. An edit that covers a part of a large piece cuts that part off. A value: a copy costs
/// O(1); a change of a patch that shares its edits copies them first.
class Patch {
 public:
  Patch() = default;
  /// @param edits        of another patch
  /// @param least_bytes  of that patch
  explicit Patch(Edits edits, std::uint64_t least_bytes = 0);

  /// Adds an edit, and changes, joins or removes earlier ones.
  /// Cost: O(number of edits and bytes of those that it touches).
  void add(Edit edit);
  /// Adds the edits of `newer`, in order.
  void add(Patch newer);

  [[nodiscard]] bool empty() const { return edits().empty() && least_bytes_ == 0; }
  [[nodiscard]] const Edits& edits() const { return shared_ ? shared_->edits : kNone; }
  /// A shorter value grows to this length: bytes that had lengthened it were replaced by zeros,
  /// which do not lengthen. 0: there is no such minimum.
  [[nodiscard]] std::uint64_t least_bytes() const { return least_bytes_; }
  /// No edit is a field change, so edits are in the order of their offsets.
  [[nodiscard]] bool is_ordered() const { return is_ordered_; }
  /// Whether add(newer) copies only the bytes of `newer`, and allocates nothing.
  [[nodiscard]] bool takes_in_place(const Patch& newer) const;
  /// Whether there is any large piece. O(number of edits).
  [[nodiscard]] bool has_large() const;
  /// Roughly the memory of one edit; of a large piece without its bytes.
  [[nodiscard]] static std::size_t bytes_of(const Edit& edit);
  /// The memory of all edits, the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const;
  /// Changes `value`. Not for a patch with large pieces.
  void apply_to(std::string& value) const;
  /// The same for any patch. Errors and `has_waited`: as of LargePieces::load().
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

  /// Unshared, to be changed.
  [[nodiscard]] Edits& to_change();
  [[nodiscard]] bool is_shared() const { return shared_ && shared_->use_count() > 1; }
  /// The last edit, if `edit` is a piece that continues it; else null.
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
  bool is_ordered_ = true;  ///< no field changes; sorted by offset, and no two of one type touch
};

}  // namespace dgfs::delta
