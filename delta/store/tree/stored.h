// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stored<T>: a part of the tree that never changes, on disk, in memory, or in both. One that has
// no place on disk yet stays in memory; one that has may be dropped and read again.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "delta/store/disk/block_file.h"
#include "delta/store/tree/block_cache.h"

namespace dgfs::delta {

class ExtentVolume;

/// What reads blocks. All must outlive it; a value.
struct BlockSource {
  const BlockFile* file = nullptr;
  BlockCache* cache = nullptr;
  const ExtentVolume* values = nullptr;  ///< large ones; null where they are not asked for
};

/// Thread-safe.
/// @tparam T  has `static Result<std::shared_ptr<const T>> unpack(Bytes, std::size_t)`, of a block
///            and of what is known of its size_bytes(), and `size_bytes()`
template <class T>
class Stored {
 public:
  using Ref = std::shared_ptr<const T>;

  /// What is not on disk yet.
  explicit Stored(Ref value) : size_bytes_(value->size_bytes()), unwritten_(std::move(value)) {}
  /// @param size_bytes  what is known of that of the decoded value
  Stored(const Place& place, std::size_t size_bytes) : size_bytes_(size_bytes), place_(place) {}

  /// Reads and decodes it if it is not in memory. Errors: those of BlockFile::read and decode.
  [[nodiscard]] Result<Ref> load(const BlockSource& source) const {
    if (auto value = in_memory(source)) return value;
    // No lock is held while reading: two threads may read the same block, and one of both stays.
    const Place place = *this->place();
    DGFS_TRY(stored, source.file->read(place));
    auto value = T::unpack(stored, size_bytes_);
    if (!value) return source.file->at_place(value.error(), place.offset_bytes);
    keep(value.value(), source);
    return value;
  }
  /// None: it has not been written.
  [[nodiscard]] std::optional<Place> place() const {
    const std::lock_guard lock(mutex_);
    return place_;
  }
  /// It has been written there. Once.
  void set_place(const Place& place, const BlockSource& source) const {
    Ref value;
    {
      const std::lock_guard lock(mutex_);
      place_ = place;
      value = std::exchange(unwritten_, nullptr);
    }
    keep(value, source);
  }
  /// What was known of it when this was made. Of a run in memory; of a node as of then, or, of one
  /// on disk, how long its block is.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] bool is_in_memory() const {
    const std::lock_guard lock(mutex_);
    return unwritten_ != nullptr || !read_.expired();
  }

 protected:
  /// Null: it would have to be read.
  [[nodiscard]] Ref in_memory(const BlockSource& source) const {
    const std::lock_guard lock(mutex_);
    if (unwritten_) return unwritten_;
    auto value = read_.lock();
    if (value) source.cache->touch(place_->offset_bytes);
    return value;
  }

 private:
  void keep(const Ref& value, const BlockSource& source) const {
    const std::lock_guard lock(mutex_);
    read_ = value;
    source.cache->insert(place_->offset_bytes, value, value->size_bytes());
  }

  const std::size_t size_bytes_;
  mutable std::mutex mutex_;
  mutable Ref unwritten_;
  mutable std::weak_ptr<const T> read_;
  mutable std::optional<Place> place_;
};

}  // namespace dgfs::delta
