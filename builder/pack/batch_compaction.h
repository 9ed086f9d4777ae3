// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Batch compaction: a batch's data moves to where it is written from as extents leave it.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "builder/read/batch.h"

namespace dgfs::builder {

/// Each of Batch::extents is kept, dropped or replaced, in order; then finish(). For one thread.
class BatchCompaction {
 public:
  /// @param batch  must outlive this
  /// @param begin  where in its memory the data is to begin; not behind where it does
  BatchCompaction(Batch& batch, std::size_t begin) : batch_(batch), read_at_(batch.data_begin) {
    batch_.data_begin = begin;
  }

  /// Data of the extent whose turn it is.
  [[nodiscard]] Bytes next(const BatchExtent& extent) const {
    return batch_.memory.first(read_at_ + extent.data_bytes).subspan(read_at_);
  }
  /// How much of the data, from Batch::data_begin on, is as it will be.
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
    read_at_ += extent.data_bytes;
    read_frames_ += extent.frame_count;
  }
  /// After the last one.
  void finish() {
    batch_.data_bytes = kept_bytes_;
    batch_.checksums.resize(kept_frames_);
  }

 private:
  void keep_as(Bytes stored, std::span<const std::uint64_t> checksums) {
    const auto at = batch_.data_begin + kept_bytes_;
    const auto place = batch_.memory.first(at + stored.size()).subspan(at);
    if (stored.data() != place.data()) std::memmove(place.data(), stored.data(), stored.size());
    std::uint64_t* kept = batch_.checksums.data() + kept_frames_;
    if (checksums.data() != kept) std::copy(checksums.begin(), checksums.end(), kept);
    kept_bytes_ += stored.size();
    kept_frames_ += checksums.size();
  }

  Batch& batch_;
  std::size_t read_at_;  ///< in memory, of the extent whose turn it is
  std::size_t kept_bytes_ = 0;
  std::size_t read_frames_ = 0;
  std::size_t kept_frames_ = 0;
};

}  // namespace dgfs::builder
