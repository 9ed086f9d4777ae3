// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/patch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dgfs::delta {
namespace {

std::uint64_t length_of(const Piece& piece) { return piece.bytes.size(); }
std::uint64_t length_of(const FieldChange& /*change*/) { return FieldChange::kFieldBytes; }

// Of a value, in bytes.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool overlaps(const ByteRange& other) const {
    return begin < other.end && other.begin < end;
  }
  [[nodiscard]] bool touches(const ByteRange& other) const {
    return begin <= other.end && other.begin <= end;
  }
  [[nodiscard]] bool contains(const ByteRange& other) const {
    return begin <= other.begin && other.end <= end;
  }
};

ByteRange range_of(const Edit& edit) { return {begin_of(edit), end_of(edit)}; }

std::uint64_t changed(const FieldChange& change, std::uint64_t field) {
  switch (change.operation) {
    case FieldOperation::kAdd:
      return field + change.operand;
    case FieldOperation::kMax:
      return std::max(field, change.operand);
  }
  return field;
}

void change_field(const FieldChange& change, char* field) {
  std::uint64_t number = 0;
  std::memcpy(&number, field, sizeof number);
  number = changed(change, number);
  std::memcpy(field, &number, sizeof number);
}

bool is_in_order(const std::vector<Edit>& edits) {
  return std::ranges::all_of(edits,
                             [](const Edit& e) { return std::holds_alternative<Piece>(e); }) &&
         std::ranges::adjacent_find(edits, [](const Edit& a, const Edit& b) {
           return end_of(a) >= begin_of(b);
         }) == edits.end();
}

// `newer` over `older`, which it overlaps or touches, as one piece.
Piece joined(Piece older, const Piece& newer) {
  const auto begin = std::min(older.offset_bytes, newer.offset_bytes);
  const auto end =
      std::max(older.offset_bytes + older.bytes.size(), newer.offset_bytes + newer.bytes.size());
  if (begin != older.offset_bytes) {
    older.bytes.insert(0, static_cast<std::size_t>(older.offset_bytes - begin), '\0');
  }
  older.bytes.resize(static_cast<std::size_t>(end - begin));
  newer.bytes.copy(older.bytes.data() + (newer.offset_bytes - begin), newer.bytes.size());
  older.offset_bytes = begin;
  return older;
}

}  // namespace

std::uint64_t begin_of(const Edit& edit) {
  return std::visit([](const auto& each) { return each.offset_bytes; }, edit);
}

std::uint64_t end_of(const Edit& edit) {
  return std::visit([](const auto& each) { return each.offset_bytes + length_of(each); }, edit);
}

void apply(const Edit& edit, std::string& value) {
  const auto begin = static_cast<std::size_t>(begin_of(edit));
  value.resize(std::max(value.size(), static_cast<std::size_t>(end_of(edit))));
  if (const auto* piece = std::get_if<Piece>(&edit)) {
    piece->bytes.copy(value.data() + begin, piece->bytes.size());
  } else {
    change_field(std::get<FieldChange>(edit), value.data() + begin);
  }
}

Patch::Patch(std::vector<Edit> edits)
    : edits_(std::move(edits)), is_ordered_(is_in_order(edits_)) {}

void Patch::add(Edit edit) {
  auto* piece = std::get_if<Piece>(&edit);
  if (piece == nullptr) {
    is_ordered_ = false;
    add_field(std::get<FieldChange>(edit));
  } else if (is_ordered_) {
    add_in_order(std::move(*piece));
  } else {
    add_piece(std::move(*piece));
  }
}

void Patch::add(Patch newer) {
  for (Edit& edit : newer.edits_) add(std::move(edit));
}

// Records of a file come like this: nothing but those that the piece touches is looked at.
void Patch::add_in_order(Piece piece) {
  const auto end = piece.offset_bytes + piece.bytes.size();
  const auto first = std::ranges::lower_bound(edits_, piece.offset_bytes, {}, end_of);
  auto behind = first;
  for (; behind != edits_.end() && begin_of(*behind) <= end; ++behind) {
    piece = joined(std::move(std::get<Piece>(*behind)), piece);
  }
  if (first == behind) {
    edits_.insert(first, std::move(piece));
    return;
  }
  *first = std::move(piece);
  edits_.erase(first + 1, behind);
}

// From the newest edit back: what lies within the piece is gone, and a piece that touches it is
// joined. Neither where an edit that stays stands between the two and overlaps the older one: it
// may need the bytes that were there, or be overwritten by them.
void Patch::add_piece(Piece piece) {
  std::vector<ByteRange> passed;
  for (auto at = edits_.size(); at-- > 0;) {
    Edit& older = edits_[at];
    const ByteRange range = range_of(older);
    const ByteRange own = {piece.offset_bytes, piece.offset_bytes + piece.bytes.size()};
    const bool is_free =
        std::ranges::none_of(passed, [&](const ByteRange& newer) { return newer.overlaps(range); });
    auto* older_piece = std::get_if<Piece>(&older);
    if (is_free && own.contains(range)) {
      edits_.erase(edits_.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (is_free && older_piece != nullptr && own.touches(range)) {
      piece = joined(std::move(*older_piece), piece);
      edits_.erase(edits_.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      passed.push_back(range);
    }
  }
  edits_.emplace_back(std::move(piece));
}

void Patch::add_field(FieldChange change) {
  for (auto at = edits_.size(); at-- > 0;) {
    Edit& older = edits_[at];
    if (!range_of(older).overlaps(range_of(change))) continue;
    if (auto* piece = std::get_if<Piece>(&older)) {
      if (!range_of(older).contains(range_of(change))) break;
      change_field(change, piece->bytes.data() + (change.offset_bytes - piece->offset_bytes));
      return;
    }
    auto& field = std::get<FieldChange>(older);
    if (field.offset_bytes != change.offset_bytes || field.operation != change.operation) break;
    field.operand = changed(change, field.operand);
    return;
  }
  edits_.emplace_back(change);
}

std::size_t Patch::bytes_of(const Edit& edit) {
  constexpr std::size_t kEditBytes = 48;
  return kEditBytes + static_cast<std::size_t>(end_of(edit) - begin_of(edit));
}

std::size_t Patch::size_bytes() const {
  std::size_t bytes = 0;
  for (const Edit& edit : edits_) bytes += bytes_of(edit);
  return bytes;
}

void Patch::apply_to(std::string& value) const {
  for (const Edit& edit : edits_) apply(edit, value);
}

}  // namespace dgfs::delta
