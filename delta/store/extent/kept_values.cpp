// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/extent/kept_values.h"

#include <algorithm>
#include <utility>

namespace dgfs::delta {

void KeptValues::keep(ValueRef value) {
  const auto bytes = value->size();
  if (bytes > bytes_max_) return;
  Values added;
  added.push_back(std::move(value));
  Values dropped;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    values_.splice(values_.end(), added);
    bytes_ += bytes;
    share_.change(0, bytes);
    drop_above(bytes_max_, dropped);
  }
  share_.settle();
}

std::size_t KeptValues::give_up(std::size_t bytes) {
  Values dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto before_bytes = bytes_;
  drop_above(before_bytes - std::min(before_bytes, bytes), dropped);
  return before_bytes - bytes_;
}

void KeptValues::drop_above(std::size_t bytes_max, Values& dropped) {
  while (bytes_ > bytes_max) {
    const auto bytes = values_.front()->size();
    bytes_ -= bytes;
    share_.change(bytes, 0);
    dropped.splice(dropped.end(), values_, values_.begin());
  }
}

std::size_t KeptValues::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace dgfs::delta
