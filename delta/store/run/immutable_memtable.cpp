// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/immutable_memtable.h"

#include <utility>

namespace dgfs::delta {

ImmutableMemtable::State ImmutableMemtable::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::optional<Message> ImmutableMemtable::find(std::string_view key) const {
  const State now = state();
  if (now.run) {
    const auto point = now.run->find(key);
    return point ? std::optional(point->message()) : std::nullopt;
  }
  const Message* message = now.table->find(key);
  return message != nullptr ? std::optional(*message) : std::nullopt;
}

KnownRange ImmutableMemtable::part(const KeyEnd& key, bool before, std::size_t count_max) const {
  const State now = state();
  if (now.run) return {now.run, {"", std::nullopt}};
  return now.table->part(key, before, count_max);
}

RunRef ImmutableMemtable::late_bound_run(const LargeBounds& bounds, ExtentVolume& volume) const {
  const std::lock_guard binding(binding_);
  RunRef made = run();
  if (is_late_bound_) return made;
  made = late_bound(made, bounds, volume);
  is_late_bound_ = true;
  const std::lock_guard lock(mutex_);
  std::swap(state_.run, made);
  return state_.run;
}

RunRef ImmutableMemtable::run() const {
  const std::lock_guard making(making_);
  const State now = state();
  if (now.run) return now.run;
  RunRef run = now.table->run();
  const std::lock_guard lock(mutex_);
  state_ = {nullptr, run};
  return run;
}

}  // namespace dgfs::delta
