// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/object_locks.h"

#include <algorithm>
#include <utility>

namespace dgfs::view {

ObjectLocks::Held::Held(ObjectLocks& locks, std::vector<ObjectNumber> objects)
    : locks_(locks), objects_(std::move(objects)) {
  std::ranges::sort(objects_);
  objects_.erase(std::unique(objects_.begin(), objects_.end()), objects_.end());
  std::size_t locked = 0;
  try {
    for (; locked < objects_.size(); ++locked) locks_.lock(objects_[locked]);
  } catch (...) {  // no memory to note a lock
    while (locked > 0) locks_.unlock(objects_[--locked]);
    throw;
  }
}

ObjectLocks::Held::~Held() {
  for (auto object = objects_.rbegin(); object != objects_.rend(); ++object) {
    locks_.unlock(*object);
  }
}

bool ObjectLocks::Held::has(ObjectNumber object) const {
  return std::ranges::binary_search(objects_, object);
}

void ObjectLocks::lock(ObjectNumber object) {
  Shard& shard = shard_of(object);
  std::unique_lock lock(shard.mutex);
  shard.is_free.wait(lock, [&] { return !shard.locked.contains(object); });
  shard.locked.insert(object);
}

void ObjectLocks::unlock(ObjectNumber object) noexcept {
  Shard& shard = shard_of(object);
  {
    const std::lock_guard lock(shard.mutex);
    shard.locked.erase(object);
  }
  shard.is_free.notify_all();
}

}  // namespace dgfs::view
