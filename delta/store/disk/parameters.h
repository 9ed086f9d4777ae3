// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What the shape of a store follows from. Tests make all of it tiny, so that a few operations
// bring about splits, flushes and checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dgfs::delta {

/// Longest key. Inside of a page of the index a key may be longer; a store is keyed by object and
/// name, or by zone and path within it.
inline constexpr std::size_t kKeyBytesMax = 4096;
/// Longest value, and how far a patch may reach.
inline constexpr std::size_t kValueBytesMax = std::size_t{16} << 20;

/// Longer ones are large: they go to the extent volume, and are read with a read of their own.
struct LargeBounds {
  std::uint64_t value_bytes_max = 0;  ///< of values that are not
  std::uint64_t piece_bytes_max = 0;  ///< of pieces of a patch that are not
};

/// Of a store on disk: kept in its superblock.
struct StoreParameters {
  std::uint64_t basement_bytes = std::uint64_t{64} << 10;  ///< of a piece of the lowest level
  /// Messages that a node may hold for its children: a point query reads one child's share of it.
  std::uint64_t buffer_bytes = std::uint64_t{1} << 20;
  std::uint64_t fanout = 16;                              ///< children of a node, at most
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;  ///< of the log; there are two
  /// Longer values go to the extent volume: written once, and read with a read of their own.
  std::uint64_t inline_bytes = std::uint64_t{2} << 10;
  /// Nothing below the store has an object as high as this (delta/store/run/object_key.h), so that
  /// removals and patches of keys of younger objects have done their work in the basements. 0:
  /// nothing lies below at all; UINT64_MAX: something may lie below each key.
  std::uint64_t born_object = 0;

  [[nodiscard]] LargeBounds large_bounds() const {
    return {inline_bytes, kValuesOfPiece * inline_bytes};
  }
  /// A value may have several large pieces, and a reader reads each: so a piece must be longer
  /// than a value to be large.
  static constexpr std::uint64_t kValuesOfPiece = 2;
  /// Of a piece of a run that is read and checked alone, in memory, about; never 0.
  [[nodiscard]] std::size_t page_bytes() const {
    return static_cast<std::size_t>(basement_bytes / kPagesOfBasement) + 1;
  }
  /// So that a page is as long as the system's.
  static constexpr std::uint64_t kPagesOfBasement = 16;

  friend bool operator==(const StoreParameters&, const StoreParameters&) = default;
};

}  // namespace dgfs::delta
