// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/extent/large_value.h"

#include <utility>

namespace dgfs::delta {

LargeValue::~LargeValue() {
  if (volume_ != nullptr && place_) volume_->drop(dropped_);
}

std::optional<Place> LargeValue::place() const {
  const std::lock_guard lock(mutex_);
  return place_;
}

ValueRef LargeValue::unbound() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void LargeValue::bind_to(const Place& place) const {
  const std::lock_guard lock(mutex_);
  place_ = place;
  dropped_.front() = {place.extent(), volume_->period()};
  bytes_ = nullptr;
  promise_ = {};
}

void LargeValue::give_to_tree() const {
  const std::lock_guard lock(mutex_);
  volume_ = nullptr;
  dropped_.clear();
}

Result<ValueRef> LargeValue::load(const ExtentVolume& volume, bool* has_waited) const {
  if (has_waited != nullptr) *has_waited = false;
  Place place;
  {
    const std::lock_guard lock(mutex_);
    if (bytes_) return bytes_;
    if (auto kept = kept_.lock()) return kept;
    kept_.reset();
    place = *place_;
  }
  DGFS_TRY(bytes, volume.file().read_string(place, has_waited));
  auto value = std::make_shared<const std::string>(std::move(bytes));
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(was_read_, true)) return value;
    if (auto kept = kept_.lock()) return kept;  // another thread was faster
    kept_ = value;
  }
  volume.kept().keep(value);
  return value;
}

}  // namespace dgfs::delta
