// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Batch compaction: closes the gaps in a batch's data when extents are dropped or become shorter.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "builder/read/batch.h"

namespace dgfs::builder {

/// The caller keeps, drops or replaces each of Batch::extents in order, and then calls finish().
/// For one thread.
class BatchCompaction {
 public:
  /// @param batch  must outlive this
  /// @param begin  new offset of the data in the batch's memory; not behind the old one
  BatchCompaction(Batch& batch, std::size_t begin) : batch_(batch), read_at_(batch.data_begin) {
    batch_.data_begin = begin;
  }

  /// Data of the next extent.
  [[nodiscard]] Bytes next(const BatchExtent& extent) const {
    return batch_.memory.first(read_at_ + extent.data_bytes).subspan(read_at_);
  }
  /// Bytes from Batch::data_begin on that are final.
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }

  void keep(const BatchExtent& extent) {
    const auto begin = batch_.checksums.begin() + static_cast<std::ptrdiff_t>(read_frames_);
    keep_as(next(extent), {begin, extent.frame_count});
    drop(extent);
  }
  /// Replaces the data of the extent.
  /// @param stored, checksums  not longer than those of the extent
  void replace(const BatchExtent& extent, Bytes stored, std::span<const std::uint64_t> checksums) {
    keep_as(stored, checksums);
    drop(extent);
  }
  void drop(const BatchExtent& extent) {
    read_at_ += extent.data_bytes;
    read_frames_ += extent.frame_count;
  }
  /// Must be called after the last extent.
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
  std::size_t read_at_;  ///< offset of the next extent in memory
  std::size_t kept_bytes_ = 0;
  std::size_t read_frames_ = 0;
  std::size_t kept_frames_ = 0;
};

}  // namespace dgfs::builder
