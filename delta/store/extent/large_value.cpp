// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/extent/large_value.h"

#include <utility>

namespace dgfs::delta {

LargeValue::~LargeValue() {
  if (volume_ != nullptr && place_) volume_->drop(entry_);
}

std::optional<ValuePlace> LargeValue::place() const {
  const std::lock_guard lock(mutex_);
  return place_;
}

std::optional<Extent> LargeValue::extent() const {
  const std::lock_guard lock(mutex_);
  if (!place_) return std::nullopt;
  return place_->extent();
}

ValueRef LargeValue::unbound() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void LargeValue::bind_to(ValuePlace place) const {
  const std::lock_guard lock(mutex_);
  place_ = std::move(place);
  *entry_ = {place_->extent(), volume_->period()};
  volume_->note_bound(loose_);
  bytes_ = nullptr;
  promise_ = {};
}

void LargeValue::give_to_tree() const {
  const std::lock_guard lock(mutex_);
  if (volume_ != nullptr && place_) volume_->give_to_tree(entry_);
  volume_ = nullptr;
}

// Null: it has to be read.
ValueRef LargeValue::in_memory() const {
  const std::lock_guard lock(mutex_);
  if (bytes_) return bytes_;
  if (auto kept = kept_.lock()) return kept;
  kept_.reset();
  return nullptr;
}

Result<ValueRef> LargeValue::load(const ExtentVolume& volume, bool* has_waited) const {
  if (has_waited != nullptr) *has_waited = false;
  if (auto value = in_memory()) return value;
  const ValuePlace place = *this->place();
  DGFS_TRY(bytes, volume.read_parts(place, 0, place.sums.size(), has_waited));
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

Result<ValueSlice> LargeValue::load_part(const ExtentVolume& volume, std::uint64_t skip_bytes,
                                         std::uint64_t length_bytes, bool* has_waited) const {
  if (has_waited != nullptr) *has_waited = false;
  const auto skip = static_cast<std::size_t>(skip_bytes);
  const auto length = static_cast<std::size_t>(length_bytes);
  if (auto value = in_memory()) return ValueSlice{std::move(value), skip, length};
  if (length == 0) return ValueSlice{};
  const ValuePlace place = *this->place();
  const auto part_bytes = static_cast<std::size_t>(place.part_bytes());
  const auto first = skip / part_bytes;
  const auto end = (skip + length + part_bytes - 1) / part_bytes;
  if (end - first == place.sums.size()) {
    DGFS_TRY(value, load(volume, has_waited));
    return ValueSlice{std::move(value), skip, length};
  }
  DGFS_TRY(bytes, volume.read_parts(place, first, end, has_waited));
  auto parts = std::make_shared<const std::string>(std::move(bytes));
  return ValueSlice{std::move(parts), skip - first * part_bytes, length};
}

}  // namespace dgfs::delta
