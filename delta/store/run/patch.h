// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Patch: changes of parts of a value that were made without looking at it. A value is a string of
// bytes; what a change lies beyond the end of is zeros.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dgfs::delta {

/// Bytes that replace those at an offset.
struct Piece {
  std::uint64_t offset_bytes = 0;  ///< in the value
  std::string bytes;               ///< not empty
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// What happens to a field of 8 bytes, little-endian, unsigned.
enum class FieldOperation : std::uint8_t {
  kAdd,  ///< modulo 2^64
  kMax,
};

/// A change of one field. To set a field is a Piece.
struct FieldChange {
  static constexpr std::uint64_t kFieldBytes = 8;

  std::uint64_t offset_bytes = 0;  ///< of the field in the value; of any alignment
  FieldOperation operation = FieldOperation::kAdd;
  std::uint64_t operand = 0;
  friend bool operator==(const FieldChange&, const FieldChange&) = default;
};

/// One change.
using Edit = std::variant<Piece, FieldChange>;

/// The first byte that an edit touches, and the one behind the last.
[[nodiscard]] std::uint64_t begin_of(const Edit& edit);
[[nodiscard]] std::uint64_t end_of(const Edit& edit);
/// Changes `value`, which grows as far as the edit reaches.
void apply(const Edit& edit, std::string& value);

/// Edits in the order in which they were made; pieces alone by their offsets. What later ones make
/// superfluous is left out: pieces are joined where they touch, a piece swallows what lies within
/// it, and fields of the same kind of change are one. A value.
class Patch {
 public:
  Patch() = default;
  /// @param edits  of another patch
  explicit Patch(std::vector<Edit> edits);

  /// Adds an edit, which may change, join or replace those before.
  /// Cost: O(number of edits and bytes of those that it touches).
  void add(Edit edit);
  /// The edits of `newer`, in order.
  void add(Patch newer);

  [[nodiscard]] bool empty() const { return edits_.empty(); }
  [[nodiscard]] const std::vector<Edit>& edits() const { return edits_; }
  /// What one of the edits takes of memory, about.
  [[nodiscard]] static std::size_t bytes_of(const Edit& edit);
  /// What they take together, the same on all machines.
  [[nodiscard]] std::size_t size_bytes() const;
  /// Changes `value`.
  void apply_to(std::string& value) const;

  friend bool operator==(const Patch& a, const Patch& b) { return a.edits_ == b.edits_; }

 private:
  void add_in_order(Piece piece);
  void add_piece(Piece piece);
  void add_field(FieldChange change);

  std::vector<Edit> edits_;
  bool is_ordered_ = true;  ///< all are pieces, by their offsets, and none touches another
};

}  // namespace dgfs::delta
