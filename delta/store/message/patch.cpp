// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/patch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store/message/large_pieces.h"

namespace dgfs::delta {
namespace {

// A range of a value, in bytes.
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

// Whether two neighbouring edits break the order of an ordered patch. Pieces that touch must be
// joined, and so must zeros.
bool is_out_of_order(const Edit& before, const Edit& behind) {
  const bool may_be_one =
      before.index() == behind.index() && !std::holds_alternative<LargePiece>(before);
  return may_be_one ? end_of(before) >= begin_of(behind) : end_of(before) > begin_of(behind);
}

bool is_in_order(const Edits& edits) {
  return std::ranges::none_of(
             edits, [](const Edit& e) { return std::holds_alternative<FieldChange>(e); }) &&
         std::ranges::adjacent_find(edits, is_out_of_order) == edits.end();
}

// `newer` over `older` as one piece; they overlap or touch.
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

Zeros joined(const Zeros& older, const Zeros& newer) {
  const auto begin = std::min(older.offset_bytes, newer.offset_bytes);
  return {begin, std::max(end_of(older), end_of(newer)) - begin};
}

// Adds the parts of an edit that lie before and behind a range.
void add_outside(const Edit& edit, const ByteRange& range, Edits& before, Edits& behind) {
  const auto part = [&](std::uint64_t begin, std::uint64_t end) -> Edit {
    if (std::holds_alternative<Zeros>(edit)) return Zeros{begin, end - begin};
    if (const auto* piece = std::get_if<LargePiece>(&edit)) {
      const auto skipped = piece->skip_bytes + (begin - piece->offset_bytes);
      return LargePiece{begin, piece->large, skipped, end - begin};
    }
    return Piece{
        begin, std::get<Piece>(edit).bytes.substr(static_cast<std::size_t>(begin - begin_of(edit)),
                                                  static_cast<std::size_t>(end - begin))};
  };
  if (begin_of(edit) < range.begin) before.push_back(part(begin_of(edit), range.begin));
  if (range.end < end_of(edit)) behind.push_back(part(range.end, end_of(edit)));
}

}  // namespace

const Edits Patch::kNone;

Patch::Patch(Edits edits, std::uint64_t least_bytes)
    : shared_(edits.empty() ? nullptr : new Shared(std::move(edits))),
      least_bytes_(least_bytes),
      is_ordered_(is_in_order(this->edits())) {}

Edits& Patch::to_change() {
  if (!shared_) {
    shared_ = new Shared();
  } else if (shared_->use_count() > 1) {
    shared_ = new Shared(shared_->edits);
  }
  return shared_->edits;
}

void Patch::add(Edit edit) {
  if (lengthens(edit) && end_of(edit) >= least_bytes_) least_bytes_ = 0;
  if (auto* piece = std::get_if<Piece>(&edit)) {
    is_ordered_ ? add_in_order(std::move(*piece)) : add_piece(std::move(*piece));
  } else if (const auto* zeros = std::get_if<Zeros>(&edit)) {
    is_ordered_ ? add_in_order(*zeros) : add_zeros(*zeros);
  } else if (auto* large = std::get_if<LargePiece>(&edit)) {
    is_ordered_ ? add_in_order(std::move(*large)) : add_large(std::move(*large));
  } else {
    add_field(std::get<FieldChange>(edit));
  }
}

// The usual case: a value is written in order.
const Piece* Patch::appended_to(const Edit& edit) const {
  const auto* piece = std::get_if<Piece>(&edit);
  if (piece == nullptr || !is_ordered_ || edits().empty()) return nullptr;
  const Edit& last = edits().back();
  const bool goes_on = end_of(last) == piece->offset_bytes;
  return goes_on ? std::get_if<Piece>(&last) : nullptr;
}

bool Patch::takes_in_place(const Patch& newer) const {
  if (is_shared() || newer.edits().size() != 1) return false;
  const auto* last = appended_to(newer.edits().front());
  if (last == nullptr) return false;
  const auto& bytes = std::get<Piece>(newer.edits().front()).bytes;
  return bytes.size() <= last->bytes.capacity() - last->bytes.size();
}

void Patch::append(const Piece& piece) {
  std::get<Piece>(to_change().back()).bytes += piece.bytes;
  if (end_of(edits().back()) >= least_bytes_) least_bytes_ = 0;
}

void Patch::add(Patch newer) {
  if (!shared_ && least_bytes_ == 0) {
    *this = std::move(newer);
    return;
  }
  if (newer.shared_) {
    for (const Edit& edit : newer.edits()) {
      if (appended_to(edit) != nullptr) {
        append(std::get<Piece>(edit));
      } else {
        add(edit);
      }
    }
  }
  least_bytes_ = std::max(least_bytes_, newer.least_bytes_);
}

void Patch::replace(std::size_t begin, std::size_t end, Edits others) {
  Edits& edits = to_change();
  const auto first = edits.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto kept = std::min(end - begin, others.size());
  const auto moved = others.begin() + static_cast<std::ptrdiff_t>(kept);
  const auto at = std::move(others.begin(), moved, first);
  if (moved == others.end()) {
    edits.erase(at, edits.begin() + static_cast<std::ptrdiff_t>(end));
  } else {
    edits.insert(at, std::make_move_iterator(moved), std::make_move_iterator(others.end()));
  }
}

// The usual case of file contents: it looks only at edits that the piece touches.
void Patch::add_in_order(Piece piece) {
  Edits& edits = to_change();
  const ByteRange own{piece.offset_bytes, piece.offset_bytes + piece.bytes.size()};
  const auto first = static_cast<std::size_t>(
      std::ranges::lower_bound(edits, own.begin, {}, end_of) - edits.begin());
  Edits before;
  Edits behind;
  auto end = first;
  for (; end < edits.size() && begin_of(edits[end]) <= own.end; ++end) {
    if (auto* older = std::get_if<Piece>(&edits[end])) {
      piece = joined(std::move(*older), piece);
    } else {
      add_outside(edits[end], own, before, behind);
    }
  }
  before.emplace_back(std::move(piece));
  std::ranges::move(behind, std::back_inserter(before));
  replace(first, end, std::move(before));
}

void Patch::add_in_order(Zeros zeros) {
  Edits& edits = to_change();
  const ByteRange own = range_of(zeros);
  const auto first = static_cast<std::size_t>(
      std::ranges::lower_bound(edits, own.begin, {}, end_of) - edits.begin());
  Edits before;
  Edits behind;
  auto end = first;
  for (; end < edits.size() && begin_of(edits[end]) <= own.end; ++end) {
    if (const auto* older = std::get_if<Zeros>(&edits[end])) {
      zeros = joined(*older, zeros);
      continue;
    }
    if (range_of(edits[end]).overlaps(own)) swallow(end);
    add_outside(edits[end], own, before, behind);
  }
  before.emplace_back(zeros);
  std::ranges::move(behind, std::back_inserter(before));
  replace(first, end, std::move(before));
}

// A large piece is never joined, so edits that only touch it stay.
void Patch::add_in_order(LargePiece piece) {
  Edits& edits = to_change();
  const ByteRange own{piece.offset_bytes, piece.offset_bytes + piece.length_bytes};
  const auto first = static_cast<std::size_t>(
      std::ranges::upper_bound(edits, own.begin, {}, end_of) - edits.begin());
  Edits before;
  Edits behind;
  auto end = first;
  for (; end < edits.size() && begin_of(edits[end]) < own.end; ++end) {
    add_outside(edits[end], own, before, behind);
  }
  before.emplace_back(std::move(piece));
  std::ranges::move(behind, std::back_inserter(before));
  replace(first, end, std::move(before));
}

// Zeros replace all or a part of an edit that lengthens the value, so its length is kept as the
// minimum.
void Patch::swallow(std::size_t at) {
  if (lengthens(edits()[at])) least_bytes_ = std::max(least_bytes_, end_of(edits()[at]));
}

// Goes from the newest edit back: removes edits inside the piece, and joins pieces that touch it.
// An edit stays if a newer edit that also stays overlaps it: that one may need the older bytes, or
// be overwritten by them.
void Patch::add_piece(Piece piece) {
  Edits& edits = to_change();
  std::vector<ByteRange> passed;
  for (auto at = edits.size(); at-- > 0;) {
    Edit& older = edits[at];
    const ByteRange range = range_of(older);
    const ByteRange own = {piece.offset_bytes, piece.offset_bytes + piece.bytes.size()};
    const bool is_free =
        std::ranges::none_of(passed, [&](const ByteRange& newer) { return newer.overlaps(range); });
    auto* older_piece = std::get_if<Piece>(&older);
    if (is_free && own.contains(range)) {
      edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (is_free && older_piece != nullptr && own.touches(range)) {
      piece = joined(std::move(*older_piece), piece);
      edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      passed.push_back(range);
    }
  }
  edits.emplace_back(std::move(piece));
}

// Likewise, but joins nothing.
void Patch::add_large(LargePiece piece) {
  Edits& edits = to_change();
  const ByteRange own{piece.offset_bytes, piece.offset_bytes + piece.length_bytes};
  std::vector<ByteRange> passed;
  for (auto at = edits.size(); at-- > 0;) {
    const ByteRange range = range_of(edits[at]);
    const bool is_free =
        std::ranges::none_of(passed, [&](const ByteRange& newer) { return newer.overlaps(range); });
    if (is_free && own.contains(range)) {
      edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      passed.push_back(range);
    }
  }
  edits.emplace_back(std::move(piece));
}

// Likewise for zeros.
void Patch::add_zeros(Zeros zeros) {
  Edits& edits = to_change();
  std::vector<ByteRange> passed;
  for (auto at = edits.size(); at-- > 0;) {
    const ByteRange range = range_of(edits[at]);
    const ByteRange own = range_of(zeros);
    const auto* older = std::get_if<Zeros>(&edits[at]);
    const bool is_free =
        std::ranges::none_of(passed, [&](const ByteRange& newer) { return newer.overlaps(range); });
    if (!is_free || !(own.contains(range) || (older != nullptr && own.touches(range)))) {
      passed.push_back(range);
      continue;
    }
    if (older != nullptr) zeros = joined(*older, zeros);
    swallow(at);
    edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(at));
  }
  edits.emplace_back(zeros);
}

// Only the newest edit that overlaps the field matters.
void Patch::add_field(FieldChange change) {
  Edits& edits = to_change();
  for (auto at = edits.size(); at-- > 0;) {
    Edit& older = edits[at];
    if (!range_of(older).overlaps(range_of(change))) continue;
    const bool is_within = range_of(older).contains(range_of(change));
    if (auto* piece = std::get_if<Piece>(&older)) {
      if (!is_within) break;
      change_field(change, piece->bytes.data() + (change.offset_bytes - piece->offset_bytes));
      return;
    }
    if (std::holds_alternative<Zeros>(older)) {
      if (!is_within) break;
      return add(field_set_to(change.offset_bytes, changed(change, 0)));
    }
    if (std::holds_alternative<LargePiece>(older)) break;
    auto& field = std::get<FieldChange>(older);
    if (field.offset_bytes != change.offset_bytes || field.operation != change.operation) break;
    field.operand = changed(change, field.operand);
    return;
  }
  is_ordered_ = false;
  edits.emplace_back(change);
}

std::size_t Patch::bytes_of(const Edit& edit) {
  constexpr std::size_t kEditBytes = 48;
  if (const auto* piece = std::get_if<LargePiece>(&edit)) {
    return kEditBytes + size_bytes_of_large(piece->length_of_large());
  }
  const auto length = static_cast<std::size_t>(end_of(edit) - begin_of(edit));
  return kEditBytes + (lengthens(edit) ? length : 0);
}

std::size_t Patch::size_bytes() const {
  std::size_t bytes = 0;
  for (const Edit& edit : edits()) bytes += bytes_of(edit);
  return bytes;
}

bool Patch::has_large() const {
  return std::ranges::any_of(
      edits(), [](const Edit& edit) { return std::holds_alternative<LargePiece>(edit); });
}

Status Patch::apply_to(std::string& value, const ExtentVolume& volume, bool* has_waited) const {
  DGFS_TRY(pieces, LargePieces::load(edits(), volume, has_waited));
  for (const Edit& edit : edits()) {
    if (const auto* piece = std::get_if<LargePiece>(&edit)) {
      put_bytes(piece->offset_bytes, pieces.bytes(*piece), value);
    } else {
      apply(edit, value);
    }
  }
  if (value.size() < least_bytes_) value.resize(static_cast<std::size_t>(least_bytes_));
  return ok();
}

void Patch::apply_to(std::string& value) const {
  for (const Edit& edit : edits()) apply(edit, value);
  if (value.size() < least_bytes_) value.resize(static_cast<std::size_t>(least_bytes_));
}

}  // namespace dgfs::delta
