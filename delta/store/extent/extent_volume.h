// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The extent volume: the file of large values. Each is written once, when the group is logged that
// it came with, and stays where it is while the tree moves what refers to it, unless it is at the
// end of a file that is cleaned (delta/store/tree/tree_cleaner.h).
#pragma once

#include <cstdint>
#include <forward_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "delta/store/disk/block_file.h"
#include "delta/store/extent/kept_values.h"

namespace dgfs::delta {

/// Thread-safe.
class ExtentVolume {
 public:
  /// @param kept_bytes_max  of values that are asked for again (KeptValues)
  explicit ExtentVolume(std::unique_ptr<storage::File> file, std::size_t kept_bytes_max = 0)
      : file_(std::move(file), "extents"), kept_(kept_bytes_max) {}

  [[nodiscard]] BlockFile& file() { return file_; }
  [[nodiscard]] const BlockFile& file() const { return file_; }
  [[nodiscard]] KeptValues& kept() const { return kept_; }

  /// Sees to it that a value of `bytes`, with padding, will find space, besides those that were
  /// promised before. To be released when it has been written, or will not be.
  /// Errors: those of BlockFile::reserve; nothing is promised then.
  [[nodiscard]] Status promise(std::uint64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      promised_bytes_ += bytes;
    }
    try {
      auto reserved = reserve_promised();
      if (!reserved) release(bytes);
      return reserved;
    } catch (...) {
      release(bytes);
      throw;
    }
  }
  /// Finds out anew where what is promised will be: in reserve, or only between values.
  /// Errors: those of BlockFile::reserve.
  [[nodiscard]] Status reserve_promised() {
    return file_.reserve([this] { return promised_bytes(); });
  }
  void release(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    promised_bytes_ -= bytes;
  }
  /// Gives back to the disk what lies behind all values, but for what is promised.
  /// @param least_bytes  as of BlockFile::shorten()
  void shorten(std::uint64_t least_bytes) {
    file_.shorten([this] { return promised_bytes(); }, least_bytes);
  }
  [[nodiscard]] std::uint64_t promised_bytes() const {
    const std::lock_guard lock(mutex_);
    return promised_bytes_;
  }

  /// Values that are bound from now on are of the next period.
  void begin_period() {
    const std::lock_guard lock(mutex_);
    ++period_;
  }
  [[nodiscard]] std::uint64_t period() const {
    const std::lock_guard lock(mutex_);
    return period_;
  }
  /// A value that died before the tree had it, and the period in which it was bound.
  struct DroppedValue {
    Extent extent;
    std::uint64_t period = 0;
  };
  /// Of one value: it has the memory that the volume needs to take it.
  using Dropped = std::forward_list<DroppedValue>;
  /// The log may yet refer to it, so that its space is not free before a checkpoint.
  void drop(Dropped& value) noexcept {
    const std::lock_guard lock(mutex_);
    dropped_.splice_after(dropped_.before_begin(), value);
  }
  /// A checkpoint is durable that began with this period: the log that it needs refers to no value
  /// of an earlier one.
  void note_checkpoint() {
    const std::lock_guard lock(mutex_);
    logged_period_ = period_;
  }
  /// The space of values that no log refers to may be used again. Where that cannot be noted, for
  /// a lack of memory, it is noted the next time.
  void free_dropped() {
    Dropped free = take_free();
    try {
      for (; !free.empty(); free.pop_front()) file_.free(free.front().extent);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      dropped_.splice_after(dropped_.before_begin(), free);
    }
  }
  [[nodiscard]] bool has_dropped() const {
    const std::lock_guard lock(mutex_);
    return !dropped_.empty();
  }

 private:
  [[nodiscard]] Dropped take_free() {
    const std::lock_guard lock(mutex_);
    Dropped free;
    for (auto before = dropped_.before_begin(); std::next(before) != dropped_.end();) {
      if (std::next(before)->period < logged_period_) {
        free.splice_after(free.before_begin(), dropped_, before);
      } else {
        ++before;
      }
    }
    return free;
  }

  BlockFile file_;
  mutable KeptValues kept_;
  mutable std::mutex mutex_;  ///< may be locked under that of the file
  Dropped dropped_;
  std::uint64_t period_ = 1;         ///< values that a log of before refers to are of none
  std::uint64_t logged_period_ = 0;  ///< what is of an earlier one is in no log
  std::uint64_t promised_bytes_ = 0;
};

}  // namespace dgfs::delta
