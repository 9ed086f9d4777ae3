// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/composed_chunks.h"

#include <algorithm>
#include <new>
#include <utility>

namespace dgfs::view {

ComposedChunks::Writing::Writing(ComposedChunks& chunks, ObjectNumber object)
    : chunks_(chunks), object_(object) {
  const std::lock_guard lock(chunks_.mutex_);
  ++chunks_.guard_of(object_).writers;
}

ComposedChunks::Writing::~Writing() {
  const std::lock_guard lock(chunks_.mutex_);
  Guard& guard = chunks_.guard_of(object_);
  --guard.writers;
  ++guard.epoch;
}

void ComposedChunks::Writing::forget(std::uint64_t begin,
                                     std::optional<std::uint64_t> end) noexcept {
  const std::lock_guard lock(chunks_.mutex_);
  auto kept = chunks_.chunks_.lower_bound({object_, begin});
  while (kept != chunks_.chunks_.end() && kept->first.object == object_ &&
         (!end || kept->first.chunk < *end)) {
    chunks_.drop(kept++);
  }
}

void ComposedChunks::drop(Chunks::iterator kept) {
  const auto bytes = kept->second.bytes->size();
  bytes_ -= bytes;
  share_.change(bytes, 0);
  order_.erase(kept->second.place);
  chunks_.erase(kept);
}

ComposedChunks::Ticket ComposedChunks::begin(ObjectNumber object) {
  const std::lock_guard lock(mutex_);
  const Guard& guard = guard_of(object);
  return bytes_max_ != 0 && guard.writers == 0 ? Ticket(guard.epoch) : Ticket();
}

ComposedChunks::Chunk ComposedChunks::find(const Ticket& ticket, ObjectNumber object,
                                           std::uint64_t chunk) {
  const std::lock_guard lock(mutex_);
  if (!may_use(ticket, object)) return nullptr;
  const auto kept = chunks_.find({object, chunk});
  if (kept == chunks_.end()) return nullptr;
  order_.splice(order_.begin(), order_, kept->second.place);
  return kept->second.bytes;
}

bool ComposedChunks::is_asked_again(ObjectNumber object, std::uint64_t chunk) noexcept {
  const std::lock_guard lock(mutex_);
  const Key key{object, chunk + 1};  // the plus one keeps it different from empty places
  if (std::ranges::find(asked_, key) != asked_.end()) return true;
  asked_[asked_next_] = key;
  asked_next_ = (asked_next_ + 1) % kAskedMax;
  return false;
}

void ComposedChunks::keep(const Ticket& ticket, ObjectNumber object, std::uint64_t chunk,
                          Chunk bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto length = bytes->size();
    if (!may_use(ticket, object) || length > bytes_max_) return;
    const Key key{object, chunk};
    try {
      Order place(1, key);
      const auto [kept, is_new] = chunks_.try_emplace(key);
      if (!is_new) return;
      order_.splice(order_.begin(), place);
      kept->second = {std::move(bytes), order_.begin()};
    } catch (const std::bad_alloc&) {
      return;
    }
    bytes_ += length;
    share_.change(0, length);
    drop_above(bytes_max_);
  }
  share_.settle();
}

void ComposedChunks::drop_above(std::size_t bytes_max) {
  while (bytes_ > bytes_max) drop(chunks_.find(order_.back()));
}

std::size_t ComposedChunks::give_up(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto before_bytes = bytes_;
  drop_above(before_bytes - std::min(before_bytes, bytes));
  return before_bytes - bytes_;
}

std::size_t ComposedChunks::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace dgfs::view
