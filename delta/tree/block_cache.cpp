// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/block_cache.h"

#include <utility>

namespace dgfs::delta {

void BlockCache::insert(std::uint64_t offset_bytes, std::shared_ptr<const void> value,
                        std::size_t bytes) {
  Entries dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  if (const auto old = places_.find(offset_bytes); old != places_.end()) drop(old, dropped);
  entries_.push_front({offset_bytes, std::move(value), bytes});
  places_.emplace(offset_bytes, entries_.begin());
  bytes_ += bytes;
  while (bytes_ > bytes_max_ && !entries_.empty()) {
    drop(places_.find(entries_.back().offset_bytes), dropped);
  }
}

void BlockCache::touch(std::uint64_t offset_bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(offset_bytes);
  if (at != places_.end()) entries_.splice(entries_.begin(), entries_, at->second);
}

void BlockCache::erase(std::uint64_t offset_bytes) {
  Entries dropped;
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(offset_bytes);
  if (at != places_.end()) drop(at, dropped);
}

std::size_t BlockCache::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void BlockCache::drop(std::unordered_map<std::uint64_t, Entries::iterator>::iterator at,
                      Entries& dropped) {
  bytes_ -= at->second->bytes;
  dropped.splice(dropped.begin(), entries_, at->second);
  places_.erase(at);
}

}  // namespace dgfs::delta
