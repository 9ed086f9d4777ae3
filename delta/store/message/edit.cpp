// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/edit.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "format/coding.h"

namespace dgfs::delta {
namespace {

std::uint64_t length_of(const Piece& piece) { return piece.bytes.size(); }
std::uint64_t length_of(const Zeros& zeros) { return zeros.length_bytes; }
std::uint64_t length_of(const FieldChange& /*change*/) { return FieldChange::kFieldBytes; }
std::uint64_t length_of(const LargePiece& piece) { return piece.length_bytes; }

std::int64_t as_signed(std::uint64_t number) { return std::bit_cast<std::int64_t>(number); }

MutableBytes bytes_of_field(char* field) {
  return {reinterpret_cast<std::uint8_t*>(field), FieldChange::kFieldBytes};
}

}  // namespace

Piece field_set_to(std::uint64_t offset_bytes, std::uint64_t value) {
  Piece piece{offset_bytes, std::string(FieldChange::kFieldBytes, '\0')};
  format::store(bytes_of_field(piece.bytes.data()), 0, value);
  return piece;
}

std::uint64_t begin_of(const Edit& edit) {
  return std::visit([](const auto& each) { return each.offset_bytes; }, edit);
}

std::uint64_t end_of(const Edit& edit) {
  return std::visit([](const auto& each) { return each.offset_bytes + length_of(each); }, edit);
}

std::uint64_t changed(const FieldChange& change, std::uint64_t number) {
  switch (change.operation) {
    case FieldOperation::kAdd:
      return number + change.operand;
    case FieldOperation::kMax:
      return std::max(number, change.operand);
    case FieldOperation::kMin:
      return std::min(number, change.operand);
    case FieldOperation::kSignedMax:
      return as_signed(number) < as_signed(change.operand) ? change.operand : number;
    case FieldOperation::kSignedMin:
      return as_signed(change.operand) < as_signed(number) ? change.operand : number;
  }
  return number;
}

void change_field(const FieldChange& change, char* field) {
  const MutableBytes bytes = bytes_of_field(field);
  format::store(bytes, 0, changed(change, format::load<std::uint64_t>(bytes, 0)));
}

void put_bytes(std::uint64_t offset_bytes, std::string_view bytes, std::string& value) {
  const auto begin = static_cast<std::size_t>(offset_bytes);
  value.resize(std::max(value.size(), begin + bytes.size()));
  bytes.copy(value.data() + begin, bytes.size());
}

void apply(const Edit& edit, std::string& value) {
  assert(!std::holds_alternative<LargePiece>(edit));
  const auto begin = static_cast<std::size_t>(begin_of(edit));
  const auto end = static_cast<std::size_t>(end_of(edit));
  if (const auto* piece = std::get_if<Piece>(&edit)) {
    put_bytes(piece->offset_bytes, piece->bytes, value);
  } else if (const auto* change = std::get_if<FieldChange>(&edit)) {
    value.resize(std::max(value.size(), end));
    change_field(*change, value.data() + begin);
  } else if (begin < value.size()) {
    std::fill_n(value.data() + begin, std::min(end, value.size()) - begin, '\0');
  }
}

}  // namespace dgfs::delta
