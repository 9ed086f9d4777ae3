// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/extent/kept_values.h"

#include <utility>
#include <vector>

namespace dgfs::delta {

void KeptValues::keep(ValueRef value) {
  if (value->size() > bytes_max_) return;
  std::vector<ValueRef> dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto bytes = value->size();
  values_.push_back(std::move(value));
  bytes_ += bytes;
  while (bytes_ > bytes_max_) {
    dropped.push_back(values_.front());
    bytes_ -= values_.front()->size();
    values_.pop_front();
  }
}

std::size_t KeptValues::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace dgfs::delta
