// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/immutable_memtable.h"

#include <utility>

namespace dgfs::delta {

std::optional<Message> ImmutableMemtable::find(std::string_view key) const {
  std::shared_ptr<const Memtable> table;
  RunRef run;
  {
    const std::lock_guard lock(mutex_);
    table = table_;
    run = run_;
  }
  if (run) {
    const auto point = run->find(key);
    return point ? std::optional(point->message()) : std::nullopt;
  }
  const Message* message = table->find(key);
  return message != nullptr ? std::optional(*message) : std::nullopt;
}

RunRef ImmutableMemtable::run() const {
  const std::lock_guard making(making_);
  std::shared_ptr<const Memtable> table;
  {
    const std::lock_guard lock(mutex_);
    if (run_) return run_;
    table = table_;
  }
  RunRef run = table->run();
  {
    const std::lock_guard lock(mutex_);
    run_ = run;
    table_ = nullptr;
  }
  return run;
}

}  // namespace dgfs::delta
