// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/value_part.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "delta/store/message/large_pieces.h"

namespace dgfs::delta {
namespace {

std::uint64_t length_of_base(const Message& put) {
  return put.value ? put.value->size() : put.large->length_bytes();
}

Result<ValueSlice> part_of_base(const Message& put, std::uint64_t begin, std::uint64_t end,
                                const ExtentVolume& volume) {
  if (!put.value) return put.large->load_part(volume, begin, end - begin);
  return ValueSlice{put.value, static_cast<std::size_t>(begin),
                    static_cast<std::size_t>(end - begin)};
}

// Some bytes of a value, to which edits are applied.
class Window {
 public:
  Window(std::uint64_t begin, MutableBytes bytes)
      : begin_(begin),
        end_(begin + bytes.size()),
        bytes_(reinterpret_cast<char*>(bytes.data()), bytes.size()) {}

  [[nodiscard]] bool overlaps(const Edit& edit) const {
    return begin_of(edit) < end_ && begin_ < end_of(edit);
  }
  void copy(std::uint64_t at, std::string_view from) {
    const auto begin = std::max(at, begin_);
    const auto end = std::min(at + from.size(), end_);
    if (begin >= end) return;
    from.substr(static_cast<std::size_t>(begin - at))
        .copy(place_of(begin), static_cast<std::size_t>(end - begin));
  }
  // A field lies wholly inside the window or outside.
  void apply(const Edit& edit, const LargePieces& pieces) {
    if (!overlaps(edit)) return;
    const auto begin = std::max(begin_of(edit), begin_);
    const auto end = std::min(end_of(edit), end_);
    if (const auto* piece = std::get_if<Piece>(&edit)) {
      copy(piece->offset_bytes, piece->bytes);
    } else if (const auto* large = std::get_if<LargePiece>(&edit)) {
      copy(pieces.begin_bytes(*large), pieces.bytes(*large));
    } else if (const auto* change = std::get_if<FieldChange>(&edit)) {
      change_field(*change, place_of(change->offset_bytes));
    } else {
      // Behind the end of the value the bytes are zero already.
      std::fill_n(place_of(begin), static_cast<std::size_t>(end - begin), '\0');
    }
  }

 private:
  [[nodiscard]] char* place_of(std::uint64_t at) {
    return bytes_.data() + static_cast<std::size_t>(at - begin_);
  }

  std::uint64_t begin_;
  std::uint64_t end_;
  std::span<char> bytes_;
};

struct Bounds {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Widens the bounds until each field lies wholly inside or outside.
Bounds with_whole_fields(Bounds bounds, const Patch& patch) {
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const Edit& edit : patch.edits()) {
      const bool is_touched = begin_of(edit) < bounds.end && bounds.begin < end_of(edit);
      if (!is_touched || !std::holds_alternative<FieldChange>(edit)) continue;
      const Bounds wider{std::min(bounds.begin, begin_of(edit)),
                         std::max(bounds.end, end_of(edit))};
      has_grown |= wider.begin != bounds.begin || wider.end != bounds.end;
      bounds = wider;
    }
  }
  return bounds;
}

}  // namespace

Status apply_part(const Patch& patch, std::uint64_t begin_bytes, MutableBytes bytes,
                  const ExtentVolume& volume) {
  if (bytes.empty()) return ok();  // no field lies wholly inside
  DGFS_TRY(pieces,
           LargePieces::load(patch.edits(), begin_bytes, begin_bytes + bytes.size(), volume));
  Window window(begin_bytes, bytes);
  for (const Edit& edit : patch.edits()) window.apply(edit, pieces);
  return ok();
}

std::uint64_t length_of_value(const Message& put) {
  auto length = std::max(length_of_base(put), put.patch.least_bytes());
  for (const Edit& edit : put.patch.edits()) {
    if (lengthens(edit)) length = std::max(length, end_of(edit));
  }
  return length;
}

Result<ValueSlice> part_of_value(const Message& put, std::uint64_t begin_bytes,
                                 std::uint64_t length_bytes, const ExtentVolume& volume) {
  const auto length = length_of_value(put);
  const auto begin = std::min(begin_bytes, length);
  const auto end = begin + std::min(length_bytes, length - begin);
  if (put.patch.empty()) return part_of_base(put, begin, end, volume);
  const auto bounds = with_whole_fields({begin, end}, put.patch);
  std::string bytes(static_cast<std::size_t>(bounds.end - bounds.begin), '\0');
  Window window(bounds.begin, as_mutable_bytes(bytes));
  const auto base_end = std::min(bounds.end, length_of_base(put));
  if (bounds.begin < base_end) {
    DGFS_TRY(base, part_of_base(put, bounds.begin, base_end, volume));
    window.copy(bounds.begin, base.bytes());
  }
  DGFS_CHECK(apply_part(put.patch, bounds.begin, as_mutable_bytes(bytes), volume));
  return ValueSlice{std::make_shared<const std::string>(std::move(bytes)),
                    static_cast<std::size_t>(begin - bounds.begin),
                    static_cast<std::size_t>(end - begin)};
}

}  // namespace dgfs::delta
