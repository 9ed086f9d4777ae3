// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A large value. While it is unbound, it is only in memory. Once bound, it has a place in the
// extent volume and is no longer in memory. It is bound when its group is logged; a value that is
// dead by then is never written.
// (BetrFS binds values to nodes of the tree, so a sync has to write these nodes. With an extent
// volume a sync writes only the value itself.)
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "delta/store/extent/extent_volume.h"
#include "delta/store/extent/value_place.h"

namespace dgfs::delta {

/// Thread-safe. If a bound value loses its last reference before the tree has it, it gives its
/// space back, using memory that it took when it was made.
class LargeValue {
 public:
  /// Unbound. @param volume   will hold the value; must outlive it
  ///          @param promise  of space, if the value has one of its own; kept until it is bound
  LargeValue(ValueRef bytes, ExtentVolume& volume, ExtentVolume::Promise promise = {})
      : length_bytes_(bytes->size()),
        volume_(&volume),
        bytes_(std::move(bytes)),
        promise_(std::move(promise)),
        loose_(1),
        entry_(loose_.begin()) {}
  /// Bound, and not in the tree. @param volume  holds it; must outlive it
  LargeValue(ValuePlace place, ExtentVolume& volume)
      : length_bytes_(place.length_bytes),
        volume_(&volume),
        place_(std::move(place)),
        loose_(1),
        entry_(loose_.begin()) {
    entry_->extent = place_->extent();
    volume.note_bound(loose_);
  }
  /// In the tree.
  explicit LargeValue(ValuePlace place)
      : length_bytes_(place.length_bytes), place_(std::move(place)) {}
  ~LargeValue();
  LargeValue(const LargeValue&) = delete;
  LargeValue& operator=(const LargeValue&) = delete;

  [[nodiscard]] std::uint64_t length_bytes() const { return length_bytes_; }
  /// None: unbound.
  [[nodiscard]] std::optional<ValuePlace> place() const;
  /// The same without the checksums. Needs no memory.
  [[nodiscard]] std::optional<Extent> extent() const;
  /// Its bytes; null: bound.
  [[nodiscard]] ValueRef unbound() const;
  /// The value has been written there. Called once, of an unbound one (ValueBinder). Needs no
  /// memory.
  void bind_to(ValuePlace place) const;
  /// The tree has the value now, and keeps account of its space.
  void give_to_tree() const;
  /// Reads the value. The volume keeps a value that is read again, within its bounds (KeptValues).
  /// @param volume      of a bound one
  /// @param has_waited  as of BlockFile::read_unchecked; false if the value was in memory
  /// Errors: those of BlockFile::read.
  [[nodiscard]] Result<ValueRef> load(const ExtentVolume& volume, bool* has_waited = nullptr) const;
  /// Reads some of its bytes: reads and checks the parts that hold them with one read, unless the
  /// value is in memory. Nothing is kept, unless it is the whole value.
  /// @param skip_bytes    offset of the first
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
  mutable ExtentVolume::Promise promise_;   ///< of an unbound value
  mutable std::optional<ValuePlace> place_;
  mutable bool was_read_ = false;                  ///< from the volume, at least once
  mutable std::weak_ptr<const std::string> kept_;  ///< the copy that the volume keeps, if any
  // Not used by a value of the tree:
  mutable ExtentVolume::Loose loose_;            ///< of an unbound value, its entry
  mutable ExtentVolume::Loose::iterator entry_;  ///< in loose_, then in the volume
};

using LargeRef = std::shared_ptr<const LargeValue>;

/// Roughly the memory of a large value without its bytes, the same on all machines, and no less
/// than its place takes in a block. @param value_bytes  its length
[[nodiscard]] inline std::size_t size_bytes_of_large(std::uint64_t value_bytes) {
  constexpr std::size_t kLargeValueBytes = 136;
  return kLargeValueBytes + 8 * static_cast<std::size_t>(value_parts(value_bytes));
}

/// Whether both are the same object or have the same place. Neither is null.
[[nodiscard]] inline bool is_same(const LargeRef& a, const LargeRef& b) {
  return a == b || (a->place() && a->place() == b->place());
}

}  // namespace dgfs::delta
