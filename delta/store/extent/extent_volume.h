// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The extent volume: the file of large values. Each is written once, when the group is logged that
// it came with, and stays where it is while the tree moves what refers to it, unless it is at the
// end of a file that is cleaned (delta/store/tree/tree_cleaner.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "delta/store/disk/block_file.h"
#include "delta/store/extent/kept_values.h"

namespace dgfs::delta {

/// Thread-safe.
class ExtentVolume {
 public:
  /// @param kept_bytes_max  of values that are asked for again (KeptValues)
  /// @param cap             of the file; null: none; must outlive it
  explicit ExtentVolume(std::unique_ptr<storage::File> file, std::size_t kept_bytes_max = 0,
                        SizeCap* cap = nullptr)
      : file_(std::move(file), "extents", cap), kept_(kept_bytes_max) {}

  [[nodiscard]] BlockFile& file() { return file_; }
  [[nodiscard]] const BlockFile& file() const { return file_; }
  [[nodiscard]] KeptValues& kept() const { return kept_; }

  /// Space that a value will find, until it ends: for whoever writes the value, or has it written.
  /// Moved, not copied; for one thread at a time; ends before the volume.
  class Promise {
   public:
    Promise() = default;
    Promise(Promise&& other) noexcept
        : volume_(std::exchange(other.volume_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Promise& operator=(Promise&& other) noexcept {
      std::swap(volume_, other.volume_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    Promise(const Promise&) = delete;
    Promise& operator=(const Promise&) = delete;
    ~Promise() {
      if (volume_ != nullptr) volume_->release(bytes_);
    }
    /// It outlives this: whoever calls releases the bytes.
    void hand_over() noexcept { volume_ = nullptr; }

   private:
    friend class ExtentVolume;
    Promise(ExtentVolume& volume, std::uint64_t bytes) : volume_(&volume), bytes_(bytes) {
      const std::lock_guard lock(volume.mutex_);
      volume.promised_bytes_ += bytes;
    }

    ExtentVolume* volume_ = nullptr;  ///< null: nothing is promised, or not by this any more
    std::uint64_t bytes_ = 0;
  };

  /// Sees to it that a value of `bytes`, with padding, will find space, besides those that were
  /// promised before. Errors: those of BlockFile::reserve; nothing is promised then.
  [[nodiscard]] Result<Promise> promise(std::uint64_t bytes) {
    Promise promise(*this, bytes);
    DGFS_CHECK(reserve_promised());
    return promise;
  }
  /// The same where the space is in reserve already: asks the disk for nothing. none: it is not.
  [[nodiscard]] std::optional<Promise> promise_of_reserve(std::uint64_t bytes) {
    std::optional<Promise> promise(Promise(*this, bytes));
    if (!file_.has_reserved([this] { return promised_bytes(); })) promise.reset();
    return promise;
  }
  /// Finds out anew where what is promised will be: in reserve, or only between values.
  /// Errors: those of BlockFile::reserve.
  [[nodiscard]] Status reserve_promised() {
    return file_.reserve([this] { return promised_bytes(); });
  }
  /// Of a promise that was handed over: the value has been written, or will not be.
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
  /// A value died before the tree had it. The log may yet refer to it, so that its space is not
  /// free before a checkpoint.
  /// @param period  in which it was bound
  void drop(const Extent& value, std::uint64_t period) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      dropped_.push_back({value, period});
      dropped_bytes_ += padded_bytes(value.length_bytes);
    } catch (const std::bad_alloc&) {  // found to be free when the store is opened again
    }
  }
  /// Those of earlier periods, once.
  [[nodiscard]] std::vector<Extent> take_dropped() {
    const std::lock_guard lock(mutex_);
    const auto later =
        std::partition(dropped_.begin(), dropped_.end(),
                       [this](const Dropped& value) { return value.period < period_; });
    std::vector<Extent> earlier;
    for (auto value = dropped_.begin(); value != later; ++value) {
      earlier.push_back(value->extent);
    }
    for (const Extent& value : earlier) dropped_bytes_ -= padded_bytes(value.length_bytes);
    dropped_.erase(dropped_.begin(), later);
    return earlier;
  }
  /// Of all of them, with padding.
  [[nodiscard]] std::uint64_t dropped_bytes() const {
    const std::lock_guard lock(mutex_);
    return dropped_bytes_;
  }
  [[nodiscard]] bool has_dropped() const {
    const std::lock_guard lock(mutex_);
    return !dropped_.empty();
  }

 private:
  struct Dropped {
    Extent extent;
    std::uint64_t period = 0;
  };

  BlockFile file_;
  mutable KeptValues kept_;
  mutable std::mutex mutex_;  ///< may be locked under that of the file
  std::vector<Dropped> dropped_;
  std::uint64_t dropped_bytes_ = 0;
  std::uint64_t period_ = 1;  ///< values that a log of before refers to are of none
  std::uint64_t promised_bytes_ = 0;
};

}  // namespace dgfs::delta
