// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/extent/kept_values.h"

#include <utility>

namespace dgfs::delta {

void KeptValues::keep(ValueRef value) {
  const auto bytes = value->size();
  if (bytes > bytes_max_) return;
  std::list<ValueRef> added;
  added.push_back(std::move(value));
  std::list<ValueRef> dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  values_.splice(values_.end(), added);
  bytes_ += bytes;
  while (bytes_ > bytes_max_) {
    bytes_ -= values_.front()->size();
    dropped.splice(dropped.end(), values_, values_.begin());
  }
}

std::size_t KeptValues::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace dgfs::delta
