// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/block_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dgfs::delta {

void BlockCache::insert(std::uint64_t offset_bytes, std::shared_ptr<const void> value,
                        std::size_t bytes) {
  Entries dropped;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    if (const auto old = places_.find(offset_bytes); old != places_.end()) {
      drop(old->second, dropped);
    }
    Entries added;  // so that an exception leaves both containers unchanged
    added.push_front({offset_bytes, std::move(value), bytes, false});
    places_.emplace(offset_bytes, added.begin());
    entries_.splice(entries_.begin(), added);
    bytes_ += bytes;
    share_.change(0, bytes);
    drop_above(bytes_max(), dropped);
  }
  share_.settle();
}

// Called with each batch, so it takes the lock only if there is something to do.
void BlockCache::shrink() {
  share_.settle();
  const auto bytes_max = this->bytes_max();
  if (bytes_ <= bytes_max) return;
  Entries dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  drop_above(bytes_max, dropped);
}

std::size_t BlockCache::give_up(std::size_t bytes) {
  Entries dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const std::size_t before_bytes = bytes_;
  drop_above(before_bytes - std::min(before_bytes, bytes), dropped);
  return before_bytes - bytes_;
}

void BlockCache::touch(std::uint64_t offset_bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(offset_bytes);
  if (at == places_.end()) return;
  Entry& entry = *at->second;
  protected_.splice(protected_.begin(), list_of(entry), at->second);
  if (!std::exchange(entry.is_protected, true)) protected_bytes_ += entry.bytes;
  protect_less(bytes_max());
}

// The block that was not used for longest is moved to the unprotected ones.
void BlockCache::protect_less(std::size_t bytes_max) {
  while (protected_bytes_ > bytes_max / 5 * 4) {
    const auto last = std::prev(protected_.end());
    last->is_protected = false;
    protected_bytes_ -= last->bytes;
    entries_.splice(entries_.begin(), protected_, last);
  }
}

void BlockCache::erase(std::uint64_t offset_bytes) {
  Entries dropped;
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(offset_bytes);
  if (at != places_.end()) drop(at->second, dropped);
}

std::size_t BlockCache::size_bytes() const { return bytes_; }

void BlockCache::drop_above(std::size_t bytes_max, Entries& dropped) {
  protect_less(bytes_max);
  while (bytes_ > bytes_max && !places_.empty()) {
    drop(std::prev(entries_.empty() ? protected_.end() : entries_.end()), dropped);
  }
}

void BlockCache::drop(Entries::iterator entry, Entries& dropped) {
  bytes_ -= entry->bytes;
  share_.change(entry->bytes, 0);
  if (entry->is_protected) protected_bytes_ -= entry->bytes;
  places_.erase(entry->offset_bytes);
  dropped.splice(dropped.begin(), list_of(*entry), entry);
}

}  // namespace dgfs::delta
