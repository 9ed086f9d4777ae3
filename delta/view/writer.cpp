// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/writer.h"

#include <algorithm>

namespace dgfs::view {

Status Writer::make(std::vector<ObjectNumber> objects, const Decide& decide) {
  bool moves_directories = false;
  delta::Batch waiting;
  for (;;) {
    DGFS_TRY(is_done, try_once(objects, moves_directories, decide, waiting));
    if (is_done) return layers_.live().is_synchronous() ? sync(objects) : ok();
    if (!waiting.empty()) {
      DGFS_CHECK(layers_.live().wait_for_room(waiting));
    }
  }
}

// Called without the locks of the objects, so that concurrent changes share a sync.
Status Writer::sync(const std::vector<ObjectNumber>& objects) const {
  std::uint64_t sequence = 0;
  for (const ObjectNumber object : objects) sequence = std::max(sequence, last_change(object));
  return sequence == 0 ? ok() : layers_.live().sync(sequence);
}

// False: try again; if `waiting` has a batch, after there is room for it. A batch that has waited
// is not sent back for anything that can wait (Patience::kWaited).
Result<bool> Writer::try_once(std::vector<ObjectNumber>& objects, bool& moves_directories,
                              const Decide& decide, delta::Batch& waiting) {
  std::unique_lock moving(moving_directories_, std::defer_lock);
  if (moves_directories) moving.lock();
  using Patience = delta::Store::Patience;
  const auto patience = waiting.empty() ? Patience::kFresh : Patience::kWaited;
  waiting = {};
  const ObjectLocks::Held held(locks_, objects);
  Change change(layers_, held, env_.now(), moves_directories);
  DGFS_TRY(is_decided, decide(change));
  if (!is_decided) {
    objects.insert(objects.end(), change.lacking().begin(), change.lacking().end());
    moves_directories = moves_directories || change.is_moving_lacking();
    return false;
  }
  change.complete();
  if (change.batch().empty()) {
    for (const ObjectNumber object : change.old_orphans()) orphans_.remove(object);
    return true;
  }
  DGFS_TRY(is_applied, apply(change, objects, patience));
  if (!is_applied) waiting = change.batch();
  return is_applied;
}

// Memory for new orphans is taken before the batch is applied.
Result<bool> Writer::apply(const Change& change, const std::vector<ObjectNumber>& objects,
                           delta::Store::Patience patience) {
  std::vector<ObjectNumber> added;
  added.reserve(change.new_orphans().size());
  for (const ObjectNumber object : change.new_orphans()) {
    if (orphans_.add(object, change.now())) added.push_back(object);
  }
  const auto applied = layers_.live().try_apply(change.batch(), patience);
  if (!applied) {
    for (const ObjectNumber object : added) orphans_.remove(object);
    if (applied.error().kind() == ErrorKind::kBusy) return false;
    return applied.error();
  }
  for (const ObjectNumber object : change.old_orphans()) orphans_.remove(object);
  for (const ObjectNumber object : objects) note(object, applied.value());
  return true;
}

void Writer::note(ObjectNumber object, std::uint64_t sequence) {
  auto& last = last_changes_[object % kLastChanges];
  auto before = last.load();
  while (before < sequence && !last.compare_exchange_weak(before, sequence)) {
  }
}

}  // namespace dgfs::view
