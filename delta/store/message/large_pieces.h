// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LargePieces: the bytes of a patch's large pieces. Each large value is read with one call, however
// many pieces it has.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "delta/store/extent/value_slice.h"
#include "delta/store/message/edit.h"

namespace dgfs::delta {

/// A value.
class LargePieces {
 public:
  /// Reads the bytes that large pieces have in a range of the changed value: of each large value
  /// one stretch, from the first byte that is used to the last.
  /// @param has_waited  set to true if a read had to wait; null: not wanted
  /// Errors: those of LargeValue::load.
  [[nodiscard]] static Result<LargePieces> load(const Edits& edits, std::uint64_t begin_bytes,
                                                std::uint64_t end_bytes, const ExtentVolume& volume,
                                                bool* has_waited = nullptr);
  /// For the whole value.
  [[nodiscard]] static Result<LargePieces> load(const Edits& edits, const ExtentVolume& volume,
                                                bool* has_waited = nullptr) {
    return load(edits, 0, UINT64_MAX, volume, has_waited);
  }

  /// The bytes of a piece that lie in the range; the piece overlaps it.
  [[nodiscard]] std::string_view bytes(const LargePiece& piece) const;
  /// The offset of these bytes in the changed value.
  [[nodiscard]] std::uint64_t begin_bytes(const LargePiece& piece) const;

 private:
  struct Shown {
    std::uint64_t begin_bytes = UINT64_MAX;  ///< of the large value
    std::uint64_t end_bytes = 0;
    ValueSlice slice;  ///< these bytes
  };
  struct Bounds {
    std::uint64_t begin_bytes = 0;
    std::uint64_t end_bytes = 0;
  };

  LargePieces(std::uint64_t begin_bytes, std::uint64_t end_bytes)
      : bounds_{begin_bytes, end_bytes} {}
  /// In the large value; empty if the piece lies outside the range.
  [[nodiscard]] Bounds shown_of(const LargePiece& piece) const;

  Bounds bounds_;
  std::unordered_map<const LargeValue*, Shown> shown_;
};

}  // namespace dgfs::delta
