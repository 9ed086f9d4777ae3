// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/large_pieces.h"

#include <algorithm>
#include <variant>

namespace dgfs::delta {

LargePieces::Bounds LargePieces::shown_of(const LargePiece& piece) const {
  const auto begin = begin_bytes(piece);
  const auto end = std::min(piece.offset_bytes + piece.length_bytes, bounds_.end_bytes);
  if (begin >= end) return {};
  const auto skip = piece.skip_bytes + (begin - piece.offset_bytes);
  return {skip, skip + (end - begin)};
}

std::uint64_t LargePieces::begin_bytes(const LargePiece& piece) const {
  return std::max(piece.offset_bytes, bounds_.begin_bytes);
}

Result<LargePieces> LargePieces::load(const Edits& edits, std::uint64_t begin_bytes,
                                      std::uint64_t end_bytes, const ExtentVolume& volume,
                                      bool* has_waited) {
  LargePieces pieces(begin_bytes, end_bytes);
  for (const Edit& edit : edits) {
    const auto* piece = std::get_if<LargePiece>(&edit);
    if (piece == nullptr) continue;
    const auto bounds = pieces.shown_of(*piece);
    if (bounds.begin_bytes == bounds.end_bytes) continue;
    Shown& shown = pieces.shown_[piece->large.get()];
    shown.begin_bytes = std::min(shown.begin_bytes, bounds.begin_bytes);
    shown.end_bytes = std::max(shown.end_bytes, bounds.end_bytes);
  }
  for (auto& [large, shown] : pieces.shown_) {
    bool waited = false;
    DGFS_TRY(slice, large->load_part(volume, shown.begin_bytes, shown.end_bytes - shown.begin_bytes,
                                     has_waited == nullptr ? nullptr : &waited));
    if (waited) *has_waited = true;
    shown.slice = std::move(slice);
  }
  return pieces;
}

std::string_view LargePieces::bytes(const LargePiece& piece) const {
  const auto bounds = shown_of(piece);
  const Shown& shown = shown_.at(piece.large.get());
  return shown.slice.bytes().substr(
      static_cast<std::size_t>(bounds.begin_bytes - shown.begin_bytes),
      static_cast<std::size_t>(bounds.end_bytes - bounds.begin_bytes));
}

}  // namespace dgfs::delta
