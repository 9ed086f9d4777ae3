// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A large value: unbound, it is in memory alone; bound, it has its place in the extent volume, and
// memory lets it go. It is bound when the group is logged that it came with; one that has died by
// then is never written.
// (BetrFS binds to nodes of the tree, so that a sync has to write these; a volume of extents makes
// it the write of the value itself.)
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "delta/store/extent/extent_volume.h"
#include "delta/store/extent/value_place.h"

namespace dgfs::delta {

/// Thread-safe. One that has been bound in vain, as nothing refers to it any more and the tree
/// never had it, gives its space back, for which it has memory from the begin on.
class LargeValue {
 public:
  /// Unbound. @param volume   shall have it; must outlive it
  ///          @param promise  of its space, if that is its own: kept until it is bound
  LargeValue(ValueRef bytes, ExtentVolume& volume, ExtentVolume::Promise promise = {})
      : length_bytes_(bytes->size()),
        volume_(&volume),
        bytes_(std::move(bytes)),
        promise_(std::move(promise)),
        loose_(1),
        entry_(loose_.begin()) {}
  /// Bound, and not in the tree. @param volume  has it; must outlive it
  LargeValue(ValuePlace place, ExtentVolume& volume)
      : length_bytes_(place.length_bytes),
        volume_(&volume),
        place_(std::move(place)),
        loose_(1),
        entry_(loose_.begin()) {
    entry_->extent = place_->extent();
    volume.note_bound(loose_);
  }
  /// The tree's.
  explicit LargeValue(ValuePlace place)
      : length_bytes_(place.length_bytes), place_(std::move(place)) {}
  ~LargeValue();
  LargeValue(const LargeValue&) = delete;
  LargeValue& operator=(const LargeValue&) = delete;

  [[nodiscard]] std::uint64_t length_bytes() const { return length_bytes_; }
  /// None: it is unbound.
  [[nodiscard]] std::optional<ValuePlace> place() const;
  /// The same without the checksums. Needs no memory.
  [[nodiscard]] std::optional<Extent> extent() const;
  /// Its bytes; null: it is bound.
  [[nodiscard]] ValueRef unbound() const;
  /// It has been written there. Once, of an unbound one (ValueBinder). Needs no memory.
  void bind_to(ValuePlace place) const;
  /// The tree has it now, and knows when its space is free.
  void give_to_tree() const;
  /// One that is read again is kept by the volume, within its bounds (KeptValues).
  /// @param volume      of a bound one
  /// @param has_waited  as of BlockFile::read_unchecked; false where it was in memory
  /// Errors: those of BlockFile::read.
  [[nodiscard]] Result<ValueRef> load(const ExtentVolume& volume, bool* has_waited = nullptr) const;
  /// Some of its bytes: those of its parts that have them are read and checked, with one read,
  /// unless the value is in memory. Is kept by nobody, unless it is all of the value.
  /// @param skip_bytes    before the first
  /// @param length_bytes  within the value
  /// Otherwise as load().
  [[nodiscard]] Result<ValueSlice> load_part(const ExtentVolume& volume, std::uint64_t skip_bytes,
                                             std::uint64_t length_bytes,
                                             bool* has_waited = nullptr) const;

 private:
  [[nodiscard]] ValueRef in_memory() const;

  const std::uint64_t length_bytes_;
  mutable std::mutex mutex_;
  mutable ExtentVolume* volume_ = nullptr;  ///< null: the tree has it
  mutable ValueRef bytes_;                  ///< null: it is bound
  mutable ExtentVolume::Promise promise_;   ///< of one that is unbound
  mutable std::optional<ValuePlace> place_;
  mutable bool was_read_ = false;                  ///< from the volume
  mutable std::weak_ptr<const std::string> kept_;  ///< what the volume keeps of it, if it does
  // The tree's has none:
  mutable ExtentVolume::Loose loose_;            ///< of an unbound one, its entry
  mutable ExtentVolume::Loose::iterator entry_;  ///< in loose_, then in the volume
};

using LargeRef = std::shared_ptr<const LargeValue>;

/// What one takes of memory without its bytes, about, the same on all machines, and no less than
/// its place takes in a block. @param value_bytes  its length
[[nodiscard]] inline std::size_t size_bytes_of_large(std::uint64_t value_bytes) {
  constexpr std::size_t kLargeValueBytes = 136;
  return kLargeValueBytes + 8 * static_cast<std::size_t>(value_parts(value_bytes));
}

/// Whether both are one, or have one place. Neither is null.
[[nodiscard]] inline bool is_same(const LargeRef& a, const LargeRef& b) {
  return a == b || (a->place() && a->place() == b->place());
}

}  // namespace dgfs::delta
