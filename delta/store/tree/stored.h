// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stored<T>: a part of the tree that never changes, on disk, in memory, or both. A part without a
// place on disk stays in memory; a part with a place may be dropped and read again.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "delta/store/disk/block_file.h"
#include "delta/store/tree/block_cache.h"

namespace dgfs::delta {

class ExtentVolume;

/// What is needed to read blocks. All must outlive it; a value.
struct BlockSource {
  const BlockFile* file = nullptr;
  BlockCache* cache = nullptr;
  const ExtentVolume* values = nullptr;  ///< null if large values are not needed
};

/// Thread-safe.
/// @tparam T  has `static Result<std::shared_ptr<const T>> unpack(Bytes, std::size_t)`, which takes
///            a block and the known size_bytes(), and `size_bytes()`
template <class T>
class Stored {
 public:
  using Ref = std::shared_ptr<const T>;

  /// A part that is not on disk yet.
  explicit Stored(Ref value) : size_bytes_(value->size_bytes()), unwritten_(std::move(value)) {}
  /// @param size_bytes  what is known of the size of the decoded value
  Stored(const Place& place, std::size_t size_bytes) : size_bytes_(size_bytes), place_(place) {}

  /// Reads and decodes it if it is not in memory. Errors: those of BlockFile::read and decode.
  [[nodiscard]] Result<Ref> load(const BlockSource& source) const {
    if (auto value = in_memory(source)) return value;
    // No lock is held while reading: two threads may read the same block, and one result is kept.
    const Place place = *this->place();
    DGFS_TRY(stored, source.file->read(place));
    auto value = T::unpack(stored, size_bytes_);
    if (!value) return source.file->at_place(value.error(), place.offset_bytes);
    keep(value.value(), source);
    return value;
  }
  /// None: not written.
  [[nodiscard]] std::optional<Place> place() const {
    const std::lock_guard lock(mutex_);
    return place_;
  }
  /// The part has been written there. Called once.
  void set_place(const Place& place, const BlockSource& source) const {
    Ref value;
    {
      const std::lock_guard lock(mutex_);
      place_ = place;
      value = std::exchange(unwritten_, nullptr);
    }
    keep(value, source);
  }
  /// The size that was known when this was made: of a run in memory; of a node in memory at that
  /// time, or the length of its block on disk.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] bool is_in_memory() const {
    const std::lock_guard lock(mutex_);
    return unwritten_ != nullptr || !read_.expired();
  }

 protected:
  /// Null: it has to be read.
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
