// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ExtentCover: the bytes of each volume that some extent has, found while the tree is walked. The
// bytes between extents must be zero (F-027).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::reader {

/// Memory: some 64 bytes for each stretch of extents that touch each other. Extents of a tree in
/// key order touch, so an image has few stretches, whatever its size. For one thread.
class ExtentCover {
 public:
  using Stretches = std::map<std::uint64_t, std::uint64_t>;  ///< begin to end
  using Gap = std::function<Status(std::uint64_t begin_bytes, std::uint64_t end_bytes)>;

  /// Adds an extent; empty ones change nothing. Takes constant time if extents come in order.
  void add(format::DataAddress at, std::uint64_t stored_bytes);
  /// False if there were more stretches than kStretchesMax; gaps are unknown then.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  /// Calls `gap` with each gap of a volume in [begin, end), in order, until it fails.
  [[nodiscard]] Status each_gap(format::VolumeNumber volume, std::uint64_t begin_bytes,
                                std::uint64_t end_bytes, const Gap& gap) const;

  /// 64 MiB of memory. Only a forged image has so many gaps.
  static constexpr std::size_t kStretchesMax = std::size_t{1} << 20;

 private:
  void join_behind(Stretches& stretches, Stretches::iterator at);

  std::map<format::VolumeNumber, Stretches> volumes_;
  std::size_t count_ = 0;
  bool is_complete_ = true;
};

}  // namespace dgfs::reader
