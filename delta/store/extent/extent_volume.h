// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The extent volume: the file of large values. Each is written once, when the group is logged that
// it came with, and stays where it is while the tree moves what refers to it, unless it is at the
// end of a file that is cleaned (delta/store/tree/tree_cleaner.h).
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
  /// @param kept_bytes_max  of values that are asked for again (KeptValues)
  /// @param cap             of the file; null: none; must outlive it
  /// @param pool            of those values and of other caches; null: none
  explicit ExtentVolume(std::unique_ptr<storage::File> file, std::size_t kept_bytes_max = 0,
                        SizeCap* cap = nullptr, std::shared_ptr<CachePool> pool = nullptr)
      : file_(std::move(file), "extents", cap), kept_(kept_bytes_max, std::move(pool)) {}

  [[nodiscard]] BlockFile& file() { return file_; }
  [[nodiscard]] const BlockFile& file() const { return file_; }
  [[nodiscard]] KeptValues& kept() const { return kept_; }

  /// Parts of a value, read with one read, each checked.
  /// @param first, end   of the numbers of the parts; at least one
  /// @param has_waited  as of BlockFile::read_unchecked(); null: not asked for
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

  /// Space that a value will find, until it ends: for whoever writes the value, or has it written.
  /// Moved, not copied; for one thread at a time; ends before the volume.
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
    /// It outlives this: whoever calls releases the bytes.
    void hand_over() noexcept { volume_ = nullptr; }

   private:
    friend class ExtentVolume;
    Promise(ExtentVolume& volume, std::uint64_t bytes, bool is_late = false)
        : volume_(&volume), bytes_(bytes), is_late_(is_late) {
      const std::lock_guard lock(volume.mutex_);
      volume.promised_bytes_ += bytes;
      if (is_late) volume.late_bytes_ += bytes;
    }

    ExtentVolume* volume_ = nullptr;  ///< null: nothing is promised, or not by this any more
    std::uint64_t bytes_ = 0;
    bool is_late_ = false;
  };

  /// Sees to it that a value of `bytes`, with padding, will find space, besides those that were
  /// promised before. Errors: those of BlockFile::reserve; nothing is promised then.
  [[nodiscard]] Result<Promise> promise(std::uint64_t bytes) {
    Promise promise(*this, bytes);
    DGFS_CHECK(reserve_promised());
    return promise;
  }
  /// The same of a value that has been made large of what was taken in before (late binding): no
  /// batch has to wait until it is bound. Not to be handed over.
  [[nodiscard]] Result<Promise> late_promise(std::uint64_t bytes) {
    Promise promise(*this, bytes, true);
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
  void release(std::uint64_t bytes) { release(bytes, false); }
  /// Gives back to the disk what lies behind all values, but for what is promised.
  /// @param least_bytes  as of BlockFile::shorten()
  void shorten(std::uint64_t least_bytes) {
    file_.shorten([this] { return promised_bytes(); }, least_bytes);
  }
  [[nodiscard]] std::uint64_t promised_bytes() const {
    const std::lock_guard lock(mutex_);
    return promised_bytes_;
  }
  /// Of these, to the values of batches, as they came.
  [[nodiscard]] std::uint64_t promised_to_batches_bytes() const {
    const std::lock_guard lock(mutex_);
    return promised_bytes_ - late_bytes_;
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
  /// A value that is bound, and that the tree does not have, with the period in which it was bound.
  struct LooseValue {
    Extent extent;
    std::uint64_t period = 0;
  };
  /// Of one value: it has the memory that the volume needs to take it.
  using Loose = std::list<LooseValue>;
  /// It was bound. @param value  of one; its iterator goes on to be that of the value
  void note_bound(Loose& value) noexcept {
    const std::lock_guard lock(mutex_);
    bound_.splice(bound_.end(), value);
  }
  /// The tree has it now.
  void give_to_tree(Loose::iterator value) noexcept {
    const std::lock_guard lock(mutex_);
    bound_.erase(value);
  }
  /// It died before the tree had it. The log may yet refer to it, so that its space is not free
  /// before a checkpoint.
  void drop(Loose::iterator value) noexcept {
    const std::lock_guard lock(mutex_);
    dropped_bytes_ += padded_bytes(value->extent.length_bytes);
    dropped_.splice(dropped_.end(), bound_, value);
  }
  /// Whoever writes values has it, over the write, until they are noted as bound.
  [[nodiscard]] std::shared_lock<std::shared_mutex> begin_binding() {
    return std::shared_lock(binding_);
  }
  /// What is free but for the values of the tree: those that only the log has will be found there.
  /// Waits for those who write values. Otherwise as BlockFile::free_space().
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
  /// A checkpoint is durable that began with this period: the log that it needs refers to no value
  /// of an earlier one.
  void note_checkpoint() {
    const std::lock_guard lock(mutex_);
    logged_period_ = period_;
  }
  /// The space of values that no log refers to may be used again. Where that cannot be noted, for
  /// a lack of memory, it is noted the next time.
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
  mutable std::shared_mutex binding_;  ///< before that of the file
  mutable std::mutex mutex_;           ///< may be locked under that of the file
  Loose bound_;
  Loose dropped_;
  std::uint64_t dropped_bytes_ = 0;
  std::uint64_t period_ = 1;         ///< values that a log of before refers to are of none
  std::uint64_t logged_period_ = 0;  ///< what is of an earlier one is in no log
  std::uint64_t promised_bytes_ = 0;
  std::uint64_t late_bytes_ = 0;  ///< of these
};

}  // namespace dgfs::delta
