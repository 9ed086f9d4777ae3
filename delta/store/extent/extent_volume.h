// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The extent volume: the file of large values. Each value is written once, when its group is
// logged, and keeps its place while the tree moves references to it. Only cleaning moves values, at
// the end of the file (delta/store/tree/tree_cleaner.h).
#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/disk/block_file.h"
#include "delta/store/extent/kept_values.h"
#include "delta/store/extent/value_place.h"

namespace dgfs::delta {

/// Thread-safe.
class ExtentVolume {
 public:
  /// @param kept_bytes_max  of values that are read again (KeptValues)
  /// @param cap             of the file; null: none; must outlive it
  /// @param pool            shared by those values and other caches; null: none
  explicit ExtentVolume(std::unique_ptr<storage::File> file, std::size_t kept_bytes_max = 0,
                        SizeCap* cap = nullptr, std::shared_ptr<CachePool> pool = nullptr)
      : file_(std::move(file), "extents", cap), kept_(kept_bytes_max, std::move(pool)) {}

  [[nodiscard]] BlockFile& file() { return file_; }
  [[nodiscard]] const BlockFile& file() const { return file_; }
  [[nodiscard]] KeptValues& kept() const { return kept_; }

  /// Reads parts of a value with one read, and checks each.
  /// @param first, end  numbers of the parts; at least one part
  /// @param has_waited  as of BlockFile::read_unchecked(); null: not wanted
  /// Errors: those of BlockFile::read.
  [[nodiscard]] Result<std::string> read_parts(const ValuePlace& place, std::size_t first,
                                               std::size_t end, bool* has_waited = nullptr) const {
    const auto begin = place.part(first).offset_bytes;
    const Place last = place.part(end - 1);
    const Extent extent{begin, last.offset_bytes + last.length_bytes - begin};
    DGFS_TRY(bytes, file_.read_unchecked(extent, has_waited));
    for (auto number = first; number < end; ++number) {
      const Place part = place.part(number);
      DGFS_CHECK(file_.check(
          part, as_bytes(bytes).subspan(static_cast<std::size_t>(part.offset_bytes - begin),
                                        static_cast<std::size_t>(part.length_bytes))));
    }
    return bytes;
  }

  /// Space that is reserved for a value until this ends. Its holder writes the value, or lets
  /// another thread write it. Moved, not copied; for one thread at a time; ends before the volume.
  class Promise {
   public:
    Promise() = default;
    Promise(Promise&& other) noexcept
        : volume_(std::exchange(other.volume_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)),
          is_late_(std::exchange(other.is_late_, false)) {}
    Promise& operator=(Promise&& other) noexcept {
      std::swap(volume_, other.volume_);
      std::swap(bytes_, other.bytes_);
      std::swap(is_late_, other.is_late_);
      return *this;
    }
    Promise(const Promise&) = delete;
    Promise& operator=(const Promise&) = delete;
    ~Promise() {
      if (volume_ != nullptr) volume_->release(bytes_, is_late_);
    }
    /// Ends the promise without a release of its bytes; the caller calls release() later.
    void hand_over() noexcept { volume_ = nullptr; }

   private:
    friend class ExtentVolume;
    Promise(ExtentVolume& volume, std::uint64_t bytes, bool is_late = false)
        : volume_(&volume), bytes_(bytes), is_late_(is_late) {
      const std::lock_guard lock(volume.mutex_);
      volume.promised_bytes_ += bytes;
      if (is_late) volume.late_bytes_ += bytes;
    }

    ExtentVolume* volume_ = nullptr;  ///< null: nothing is promised, or it was handed over
    std::uint64_t bytes_ = 0;
    bool is_late_ = false;
  };

  /// Reserves space for a value of `bytes`, with padding, in addition to earlier promises. Errors:
  /// those of BlockFile::reserve; nothing is promised then.
  [[nodiscard]] Result<Promise> promise(std::uint64_t bytes) {
    Promise promise(*this, bytes);
    DGFS_CHECK(reserve_promised());
    return promise;
  }
  /// The same for a value that late binding makes of changes that were taken in before: no batch
  /// has to wait for its binding. Not to be handed over.
  [[nodiscard]] Result<Promise> late_promise(std::uint64_t bytes) {
    Promise promise(*this, bytes, true);
    DGFS_CHECK(reserve_promised());
    return promise;
  }
  /// The same from space that is in reserve already, without asking the disk. none: the reserve is
  /// too small.
  [[nodiscard]] std::optional<Promise> promise_of_reserve(std::uint64_t bytes) {
    std::optional<Promise> promise(Promise(*this, bytes));
    if (!file_.has_reserved([this] { return promised_bytes(); })) promise.reset();
    return promise;
  }
  /// Finds out again where the promised space is: in reserve, or only between values.
  /// Errors: those of BlockFile::reserve.
  [[nodiscard]] Status reserve_promised() {
    return file_.reserve([this] { return promised_bytes(); });
  }
  /// Ends a promise that was handed over: the value has been written, or never will be.
  void release(std::uint64_t bytes) { release(bytes, false); }
  /// Gives the space behind all values back to the disk, except for promised space.
  /// @param least_bytes  as of BlockFile::shorten()
  /// @param behind       as of BlockFile::shorten()
  void shorten(std::uint64_t least_bytes, BlockFile::Behind behind) {
    file_.shorten([this] { return promised_bytes(); }, least_bytes, behind);
  }
  /// Gives space back that no value needs and that nothing was promised.
  /// @param bytes  as of BlockFile::give_back_spare()
  void give_back_spare(std::uint64_t bytes) {
    file_.give_back_spare(bytes, [this] { return promised_bytes(); });
  }
  [[nodiscard]] std::uint64_t promised_bytes() const {
    const std::lock_guard lock(mutex_);
    return promised_bytes_;
  }
  /// Of these, bytes promised to values that were large when their batch came.
  [[nodiscard]] std::uint64_t promised_to_batches_bytes() const {
    const std::lock_guard lock(mutex_);
    return promised_bytes_ - late_bytes_;
  }

  /// Values that are bound from now on belong to the next period.
  void begin_period() {
    const std::lock_guard lock(mutex_);
    ++period_;
  }
  [[nodiscard]] std::uint64_t period() const {
    const std::lock_guard lock(mutex_);
    return period_;
  }
  /// A bound value that is not in the tree, with the period in which it was bound.
  struct LooseValue {
    Extent extent;
    std::uint64_t period = 0;
  };
  /// A list of one value, made in advance, so that the volume needs no memory to take it.
  using Loose = std::list<LooseValue>;
  /// The value was bound. @param value  list of one; its iterator stays valid in the volume
  void note_bound(Loose& value) noexcept {
    const std::lock_guard lock(mutex_);
    bound_.splice(bound_.end(), value);
  }
  /// The tree has the value now.
  void give_to_tree(Loose::iterator value) noexcept {
    const std::lock_guard lock(mutex_);
    bound_.erase(value);
  }
  /// The value died before the tree had it. The log may still refer to it, so its space is not free
  /// before a checkpoint.
  void drop(Loose::iterator value) noexcept {
    const std::lock_guard lock(mutex_);
    dropped_bytes_ += padded_bytes(value->extent.length_bytes);
    dropped_.splice(dropped_.end(), bound_, value);
  }
  /// A lock that a thread holds from before it writes values until they are noted as bound.
  [[nodiscard]] std::shared_lock<std::shared_mutex> begin_binding() {
    return std::shared_lock(binding_);
  }
  /// The free space together with all values that are not in the tree: replay of the log will find
  /// those. Waits for threads that write values. Otherwise as BlockFile::free_space().
  [[nodiscard]] FreeSpace space_beside_tree() const {
    std::vector<Extent> free;
    std::uint64_t end_bytes = 0;
    {
      const std::lock_guard no_binding(binding_);
      end_bytes = file_.add_free(free);
      const std::lock_guard lock(mutex_);
      for (const auto* values : {&bound_, &dropped_}) {
        for (const LooseValue& value : *values) {
          free.push_back({value.extent.offset_bytes, padded_bytes(value.extent.length_bytes)});
        }
      }
    }
    FreeSpace space(end_bytes, {});
    space.add(std::move(free));
    return space;
  }
  /// A checkpoint that began with the present period is durable: the log that it needs refers to no
  /// value of an earlier period.
  void note_checkpoint() {
    const std::lock_guard lock(mutex_);
    logged_period_ = period_;
  }
  /// Frees the space of values that no log refers to. If there is no memory to note that, it is
  /// done the next time.
  void free_dropped() {
    Loose free = take_free();
    try {
      for (; !free.empty(); free.pop_front()) file_.free(free.front().extent);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      for (const LooseValue& value : free) {
        dropped_bytes_ += padded_bytes(value.extent.length_bytes);
      }
      dropped_.splice(dropped_.begin(), free);
    }
  }
  /// Of all dropped values, with padding.
  [[nodiscard]] std::uint64_t dropped_bytes() const {
    const std::lock_guard lock(mutex_);
    return dropped_bytes_;
  }
  [[nodiscard]] bool has_dropped() const {
    const std::lock_guard lock(mutex_);
    return !dropped_.empty();
  }

 private:
  void release(std::uint64_t bytes, bool is_late) {
    const std::lock_guard lock(mutex_);
    promised_bytes_ -= bytes;
    if (is_late) late_bytes_ -= bytes;
  }
  [[nodiscard]] Loose take_free() {
    const std::lock_guard lock(mutex_);
    Loose free;
    for (auto value = dropped_.begin(); value != dropped_.end();) {
      const auto next = std::next(value);
      if (value->period < logged_period_) {
        dropped_bytes_ -= padded_bytes(value->extent.length_bytes);
        free.splice(free.end(), dropped_, value);
      }
      value = next;
    }
    return free;
  }

  BlockFile file_;
  mutable KeptValues kept_;
  mutable std::shared_mutex binding_;  ///< locked before the lock of the file
  mutable std::mutex mutex_;           ///< may be locked under the lock of the file
  Loose bound_;
  Loose dropped_;
  std::uint64_t dropped_bytes_ = 0;
  std::uint64_t period_ = 1;         ///< values from a replayed log have period 0
  std::uint64_t logged_period_ = 0;  ///< values of earlier periods are in no log
  std::uint64_t promised_bytes_ = 0;
  std::uint64_t late_bytes_ = 0;  ///< of promised_bytes_, by late_promise()
};

}  // namespace dgfs::delta
