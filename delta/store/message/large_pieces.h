// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LargePieces: the bytes of large values that a patch shows, each value read with one call however
// many pieces of it there are.
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
  /// Reads what large pieces have in a range of the value that they change: of each large value
  /// from the first byte of it to the last one that is shown there.
  /// @param has_waited  set where one had to be waited for; null: not asked for
  /// Errors: those of LargeValue::load.
  [[nodiscard]] static Result<LargePieces> load(const Edits& edits, std::uint64_t begin_bytes,
                                                std::uint64_t end_bytes, const ExtentVolume& volume,
                                                bool* has_waited = nullptr);
  /// All of them.
  [[nodiscard]] static Result<LargePieces> load(const Edits& edits, const ExtentVolume& volume,
                                                bool* has_waited = nullptr) {
    return load(edits, 0, UINT64_MAX, volume, has_waited);
  }

  /// Those bytes of a piece that lie in the range, which it must overlap.
  [[nodiscard]] std::string_view bytes(const LargePiece& piece) const;
  /// The first of these, in the value that is changed.
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
  /// Of the large value; empty where the piece lies outside.
  [[nodiscard]] Bounds shown_of(const LargePiece& piece) const;

  Bounds bounds_;
  std::unordered_map<const LargeValue*, Shown> shown_;
};

}  // namespace dgfs::delta
