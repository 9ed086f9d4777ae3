// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Batch compaction: a batch's data moves to its begin as extents leave it.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "builder/batch.h"

namespace dgfs::builder {

/// Each of Batch::extents is kept, dropped or replaced, in order; then finish(). For one thread.
class BatchCompaction {
 public:
  /// @param batch  must outlive this
  explicit BatchCompaction(Batch& batch) : batch_(batch) {}

  /// Data of the extent whose turn it is.
  [[nodiscard]] Bytes next(const BatchExtent& extent) const {
    return data().subspan(read_bytes_, extent.data_bytes);
  }
  /// How much of the data, from its begin, is as it will be.
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }

  void keep(const BatchExtent& extent) {
    const auto begin = batch_.checksums.begin() + static_cast<std::ptrdiff_t>(read_frames_);
    keep_as(next(extent), {begin, extent.frame_count});
    drop(extent);
  }
  /// Puts other data in its place.
  /// @param stored, checksums  no longer than its own
  void replace(const BatchExtent& extent, Bytes stored, std::span<const std::uint64_t> checksums) {
    keep_as(stored, checksums);
    drop(extent);
  }
  void drop(const BatchExtent& extent) {
    read_bytes_ += extent.data_bytes;
    read_frames_ += extent.frame_count;
  }
  /// After the last one.
  void finish() {
    batch_.data_bytes = kept_bytes_;
    batch_.checksums.resize(kept_frames_);
  }

 private:
  [[nodiscard]] MutableBytes data() const {
    return batch_.memory.first(batch_.data_begin + batch_.data_bytes).subspan(batch_.data_begin);
  }
  void keep_as(Bytes stored, std::span<const std::uint64_t> checksums) {
    const auto place = data().subspan(kept_bytes_);
    if (stored.data() != place.data()) {
      std::memmove(place.data(), stored.data(), stored.size());
      std::copy(checksums.begin(), checksums.end(),
                batch_.checksums.begin() + static_cast<std::ptrdiff_t>(kept_frames_));
    }
    kept_bytes_ += stored.size();
    kept_frames_ += checksums.size();
  }

  Batch& batch_;
  std::size_t read_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
  std::size_t read_frames_ = 0;
  std::size_t kept_frames_ = 0;
};

}  // namespace dgfs::builder
