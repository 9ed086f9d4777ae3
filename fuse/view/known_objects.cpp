// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/known_objects.h"

namespace dgfs::fuse {

void KnownObjects::add(std::uint64_t inode, std::uint64_t count) {
  Shard& shard = shard_of(inode);
  const std::lock_guard lock(shard.mutex);
  shard.objects[inode].word += count;
}

bool KnownObjects::remove(std::uint64_t inode, std::uint64_t count) {
  Shard& shard = shard_of(inode);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.objects.find(inode);
  if (found == shard.objects.end()) return true;
  Known& known = found->second;
  if (known.count() > count) {
    known.word -= count;
    return false;
  }
  shard.objects.erase(found);
  return true;
}

bool KnownObjects::has(std::uint64_t inode) const {
  const Shard& shard = shard_of(inode);
  const std::lock_guard lock(shard.mutex);
  return shard.objects.contains(inode);
}

std::size_t KnownObjects::size() const {
  std::size_t size = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    size += shard.objects.size();
  }
  return size;
}

std::uint64_t KnownObjects::grants(std::uint64_t inode) const {
  const Shard& shard = shard_of(inode);
  const std::lock_guard lock(shard.mutex);
  return shard.grants;
}

// An object that the kernel does not know has no entry; the next lookup finds out again.
void KnownObjects::note_unprivileged(std::uint64_t inode, std::uint64_t grants) {
  Shard& shard = shard_of(inode);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.objects.find(inode);
  if (found != shard.objects.end() && shard.grants == grants) {
    found->second.word |= Known::kUnprivileged;
  }
}

void KnownObjects::note_grant(std::uint64_t inode) {
  Shard& shard = shard_of(inode);
  const std::lock_guard lock(shard.mutex);
  ++shard.grants;
  const auto found = shard.objects.find(inode);
  if (found != shard.objects.end()) found->second.word &= ~Known::kUnprivileged;
}

bool KnownObjects::is_unprivileged(std::uint64_t inode) const {
  const Shard& shard = shard_of(inode);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.objects.find(inode);
  return found != shard.objects.end() && found->second.is_unprivileged();
}

}  // namespace dgfs::fuse
