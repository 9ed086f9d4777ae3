// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/failure.h"

#include <new>
#include <utility>

namespace dgfs::delta {

Status Failure::check() const {
  const std::lock_guard lock(mutex_);
  return first_ ? Status(*first_) : ok();
}

Status Failure::check_torn() const {
  const std::lock_guard lock(mutex_);
  return is_torn_ ? Status(*first_) : ok();
}

Error Failure::note(const Error& error) {
  const std::lock_guard lock(mutex_);
  try {
    if (!first_) first_ = error;
  } catch (const std::bad_alloc&) {
    first_ = std::move(out_of_memory_);
  }
  return *first_;
}

void Failure::note_unknown() noexcept {
  const std::lock_guard lock(mutex_);
  if (!first_) first_ = std::move(out_of_memory_);
}

void Failure::note_torn() noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_torn_ && !first_) first_ = std::move(out_of_memory_);
  is_torn_ = true;
}

}  // namespace dgfs::delta
