// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The parameters that determine the shape of a store. Tests make all of them tiny, so that a few
// operations cause splits, flushes and checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dgfs::delta {

/// The longest key. A page of the index may hold longer keys; a store has keys by object and name,
/// or by zone and path.
inline constexpr std::size_t kKeyBytesMax = 4096;
/// The longest value; no patch reaches beyond it.
inline constexpr std::size_t kValueBytesMax = std::size_t{16} << 20;

/// Longer values and pieces are large: they lie in the extent volume, and cost a read of their own.
struct LargeBounds {
  std::uint64_t value_bytes_max = 0;  ///< the longest value that is not large
  std::uint64_t piece_bytes_max = 0;  ///< the longest piece of a patch that is not large
};

/// Parameters of a store, fixed when it is made and kept in its superblock.
struct StoreParameters {
  std::uint64_t basement_bytes = std::uint64_t{64} << 10;  ///< of a basement
  /// Messages that a node may hold for its children; a point lookup reads only one child's share of
  /// them.
  std::uint64_t buffer_bytes = std::uint64_t{1} << 20;
  std::uint64_t fanout = 16;                              ///< children of a node, at most
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;  ///< of the log; there are two
  /// The longest value that is not large.
  std::uint64_t inline_bytes = std::uint64_t{2} << 10;
  /// Above every object number below the store (delta/store/run/object_key.h). In the basements,
  /// removals of keys of younger objects are dropped, and patches applied. 0: there is nothing
  /// below the store; UINT64_MAX: there may be something below every key.
  std::uint64_t born_object = 0;

  [[nodiscard]] LargeBounds large_bounds() const {
    return {inline_bytes, kValuesOfPiece * inline_bytes};
  }
  /// A value may have several large pieces, and each piece costs a read. So a piece must be longer
  /// than a value to be large.
  static constexpr std::uint64_t kValuesOfPiece = 2;
  /// Roughly the size in memory of a page: a piece of a run that is read and checked alone. Never
  /// 0.
  [[nodiscard]] std::size_t page_bytes() const {
    return static_cast<std::size_t>(basement_bytes / kPagesOfBasement) + 1;
  }
  /// Chosen so that a page is as long as a page of the system.
  static constexpr std::uint64_t kPagesOfBasement = 16;

  friend bool operator==(const StoreParameters&, const StoreParameters&) = default;
};

}  // namespace dgfs::delta
