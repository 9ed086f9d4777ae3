// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/writer.h"

#include <algorithm>

namespace dgfs::view {

Status Writer::make(std::vector<ObjectNumber> objects, const Decide& decide) {
  Attempt attempt;
  for (;;) {
    DGFS_TRY(is_done, try_once(objects, decide, attempt));
    if (is_done) return attempt.generation->live().is_synchronous() ? sync(objects) : ok();
    if (!attempt.waiting.empty()) {
      DGFS_CHECK(attempt.generation->live().wait_for_room(attempt.waiting));
    }
  }
}

Status Writer::sync(const std::vector<ObjectNumber>& objects) const {
  std::uint64_t sequence = 0;
  for (const ObjectNumber object : objects) sequence = std::max(sequence, last_change(object));
  return sequence == 0 ? ok() : generations_.current()->live().sync(sequence);
}

Result<bool> Writer::try_once(std::vector<ObjectNumber>& objects, const Decide& decide,
                              Attempt& attempt) {
  std::unique_lock moving(moving_directories_, std::defer_lock);
  if (attempt.moves_directories) moving.lock();
  using Patience = delta::Store::Patience;
  const auto patience = attempt.waiting.empty() ? Patience::kFresh : Patience::kWaited;
  attempt.waiting = {};
  const ObjectLocks::Held held(locks_, objects);
  attempt.generation = generations_.current();
  Change change(attempt.generation, held, env_.now(), attempt.moves_directories);
  DGFS_TRY(is_decided, decide(change));
  if (!is_decided) {
    objects.insert(objects.end(), change.lacking().begin(), change.lacking().end());
    attempt.moves_directories = attempt.moves_directories || change.is_moving_lacking();
    return false;
  }
  change.complete();
  if (change.batch().empty()) {
    for (const ObjectNumber object : change.old_orphans()) orphans_.remove(object);
    return true;
  }
  return apply(change, objects, patience, attempt);
}

// False: the batch has to wait, or to be decided again.
Result<bool> Writer::apply(const Change& change, const std::vector<ObjectNumber>& objects,
                           delta::Store::Patience patience, Attempt& attempt) {
  std::vector<ObjectNumber> added;
  added.reserve(change.new_orphans().size());
  const auto pass = generations_.pass(*attempt.generation);
  if (!pass) return false;
  for (const ObjectNumber object : change.new_orphans()) {
    if (orphans_.add(object, change.now())) added.push_back(object);
  }
  const auto applied = attempt.generation->live().try_apply(change.batch(), patience);
  if (!applied) {
    for (const ObjectNumber object : added) orphans_.remove(object);
    if (applied.error().kind() != ErrorKind::kBusy) return applied.error();
    attempt.waiting = change.batch();
    return false;
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
