// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Edit: one change of a part of a value, made without reading the value. A value is a string of
// bytes. A change beyond its end first lengthens it with zeros; only Zeros never lengthen a value.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "delta/store/extent/large_value.h"

namespace dgfs::delta {

/// Bytes that replace those at an offset.
struct Piece {
  std::uint64_t offset_bytes = 0;  ///< in the value
  std::string bytes;               ///< not empty
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// The same with bytes of a large value.
struct LargePiece {
  std::uint64_t offset_bytes = 0;  ///< in the changed value
  LargeRef large;                  ///< not null
  std::uint64_t skip_bytes = 0;    ///< offset of the bytes in the large value
  std::uint64_t length_bytes = 0;  ///< not 0
  [[nodiscard]] std::uint64_t length_of_large() const { return large->length_bytes(); }
  /// By content; large values by place.
  friend bool operator==(const LargePiece& a, const LargePiece& b) {
    return a.offset_bytes == b.offset_bytes && a.skip_bytes == b.skip_bytes &&
           a.length_bytes == b.length_bytes && is_same(a.large, b.large);
  }
};

/// Zeros that replace bytes of the value from an offset on. They stop at the value's end, never
/// lengthen it, and are not stored as bytes.
struct Zeros {
  std::uint64_t offset_bytes = 0;  ///< in the value
  std::uint64_t length_bytes = 0;  ///< not 0
  friend bool operator==(const Zeros&, const Zeros&) = default;
};

/// How a field of 8 bytes, little-endian, is changed. Runs on disk have these numbers.
enum class FieldOperation : std::uint8_t {
  kAdd = 1,        ///< modulo 2^64, so it also serves signed numbers
  kMax = 2,        ///< of unsigned numbers
  kMin = 3,        ///< of unsigned numbers
  kSignedMax = 4,  ///< of two's complements
  kSignedMin = 5,  ///< of two's complements
};

/// A change of one field. Setting a field is a Piece.
struct FieldChange {
  static constexpr std::uint64_t kFieldBytes = 8;

  std::uint64_t offset_bytes = 0;  ///< of the field in the value; of any alignment
  FieldOperation operation = FieldOperation::kAdd;
  std::uint64_t operand = 0;
  friend bool operator==(const FieldChange&, const FieldChange&) = default;
};

using Edit = std::variant<Piece, Zeros, FieldChange, LargePiece>;
/// Usually one.
using Edits = boost::container::small_vector<Edit, 1>;

/// A piece that sets a field.
[[nodiscard]] Piece field_set_to(std::uint64_t offset_bytes, std::uint64_t value);

/// The first byte that an edit touches, and the one behind the last.
[[nodiscard]] std::uint64_t begin_of(const Edit& edit);
[[nodiscard]] std::uint64_t end_of(const Edit& edit);
/// Whether a shorter value grows to the end of the edit.
[[nodiscard]] inline bool lengthens(const Edit& edit) {
  return !std::holds_alternative<Zeros>(edit);
}
/// The new value of a field.
[[nodiscard]] std::uint64_t changed(const FieldChange& change, std::uint64_t number);
/// Changes a field in place. @param field  of FieldChange::kFieldBytes
void change_field(const FieldChange& change, char* field);
/// Changes `value`. Not for a LargePiece, whose bytes are not in memory.
void apply(const Edit& edit, std::string& value);
/// Puts bytes at an offset of `value`, as a piece does.
void put_bytes(std::uint64_t offset_bytes, std::string_view bytes, std::string& value);

}  // namespace dgfs::delta
