// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/memtable.h"

#include <algorithm>
#include <string>
#include <utility>

#include "delta/store/message/overlay.h"
#include "delta/store/run/run_builder.h"

namespace dgfs::delta {
namespace {

// A range delete that covers more than this takes too long for one call.
constexpr std::size_t kCoveredMax = 256;

// While no message is longer than this, copies_at_most() needs no lookups.
constexpr std::size_t kLongBytes = 512;

// Memory of a node of the map and what it refers to, without the bytes of key and message; includes
// the overhead of three allocations.
constexpr std::size_t kNodeBytes = 112;

std::size_t bytes_of_point(std::string_view key, const Message& message) {
  return kNodeBytes + key.size() + message.size_bytes();
}

}  // namespace

std::size_t Memtable::bytes_of(const Operation& operation) {
  if (const auto* change = std::get_if<PointChange>(&operation)) {
    return bytes_of_point(change->key, change->message);
  }
  const KeyRange& range = std::get<RangeDelete>(operation).range;
  return range.empty() ? 0 : RangeTombstones::bytes_of(range.begin, range.end);
}

bool Memtable::is_long(const Operation& operation) const {
  const auto* removal = std::get_if<RangeDelete>(&operation);
  if (removal == nullptr || removal->range.empty()) return false;
  std::size_t count = 0;
  const auto count_one = [&](const auto& entry) {
    return is_before(entry.key(), removal->range.end) && ++count <= kCoveredMax;
  };
  tombstones_.visit_from(removal->range.begin, count_one);
  if (count <= kCoveredMax) points_.visit_from(removal->range.begin, count_one);
  return count > kCoveredMax;
}

void Memtable::apply(const Operation& operation) {
  if (const auto* range = std::get_if<RangeDelete>(&operation)) {
    remove(range->range);
  } else {
    const auto& change = std::get<PointChange>(operation);
    put(change.key, change.message);
  }
}

void Memtable::apply(const Batch& batch) {
  for (const Operation& operation : batch.operations()) apply(operation);
}

bool Memtable::apply_unless_long(const Batch& batch) {
  for (const Operation& operation : batch.operations()) {
    if (is_long(operation)) return false;
    apply(operation);
  }
  return true;
}

// A patch that is not shared may grow in place.
bool Memtable::is_copied_to_change(const Points::Entry& there, const Message& newer) const {
  const Message& message = there.value();
  return message.kind != MessageKind::kPatch || !message.patch.takes_in_place(newer.patch) ||
         points_.is_shared(there.key());
}

std::size_t Memtable::copies_at_most(const Batch& batch) const {
  std::size_t bytes = 0;
  for (const Operation& operation : batch.operations()) {
    const auto* change = std::get_if<PointChange>(&operation);
    if (change == nullptr || change->message.is_final()) continue;
    bytes += change->message.inline_bytes();
    if (longest_bytes_ <= kLongBytes) {
      bytes += longest_bytes_;
      continue;
    }
    const auto* there = points_.find(change->key);
    if (there != nullptr && is_copied_to_change(*there, change->message)) {
      bytes += there->value().inline_bytes();
    }
  }
  return bytes;
}

// Null: no range tombstone covers the key.
const Memtable::Tombstones::Entry* Memtable::tombstone_over(std::string_view key) const {
  const auto* last = tombstones_.last_until(key);
  return last != nullptr && is_before(key, last->value()) ? last : nullptr;
}

void Memtable::put(std::string_view key, Message message) {
  const bool is_covered = tombstone_over(key) != nullptr;
  Message* there = points_.find(key) == nullptr ? nullptr : &points_.find_to_change(key);
  Overlay said(std::move(message));
  if (there != nullptr) {
    size_bytes_ -= bytes_of_point(key, *there);
    said.add_older(std::move(*there));
  } else if (is_covered) {
    said.add_nothing_older();
  }
  message = said.take();
  if (is_covered && is_needless_over_nothing(message.kind)) {
    if (there != nullptr) erase_point(key);
    return;
  }
  size_bytes_ += bytes_of_point(key, message);
  longest_bytes_ = std::max(longest_bytes_, message.inline_bytes());
  if (there != nullptr) {
    *there = std::move(message);
  } else {
    points_.insert(key, std::move(message));
    ++count_;
  }
}

// The caller has subtracted its bytes from size_bytes_.
void Memtable::erase_point(std::string_view key) {
  points_.erase(key);
  --count_;
}

void Memtable::remove(const KeyRange& range) {
  if (range.empty()) return;
  while (const auto* point = points_.lower_bound(range.begin)) {
    if (!is_before(point->key(), range.end)) break;
    size_bytes_ -= bytes_of_point(point->key(), point->value());
    erase_point(std::string(point->key()));
  }
  add_tombstone(range);
}

void Memtable::erase_tombstone(const Tombstones::Entry& tombstone) {
  size_bytes_ -= RangeTombstones::bytes_of(tombstone.key(), tombstone.value());
  tombstones_.erase(std::string(tombstone.key()));
}

// As in RangeTombstones::add.
void Memtable::add_tombstone(KeyRange range) {
  if (const auto* last = tombstones_.last_until(range.begin);
      last != nullptr && !ends_before(last->value(), range.begin)) {
    range.begin = last->key();
  }
  while (const auto* next = tombstones_.lower_bound(range.begin)) {
    if (range.end && next->key() > *range.end) break;
    if (ends_before(range.end, next->value())) range.end = next->value();
    erase_tombstone(*next);
  }
  size_bytes_ += RangeTombstones::bytes_of(range.begin, range.end);
  tombstones_.insert(range.begin, std::move(range.end));
}

const Message* Memtable::find(std::string_view key) const {
  if (const auto* point = points_.find(key)) return &point->value();
  return tombstone_over(key) != nullptr ? &Message::removal() : nullptr;
}

RunRef Memtable::run() const {
  RunBuilder made;
  made.reserve(count_, size_bytes_ / 2);
  return run_of({"", std::nullopt}, std::move(made));
}

RunRef Memtable::run_of(const KeyRange& range, RunBuilder made) const {
  points_.visit_from(range.begin, [&](const auto& point) {
    if (!is_before(point.key(), range.end)) return false;
    made.add(point.key(), point.value());
    return true;
  });
  RangeTombstones tombstones;
  const auto* first = tombstone_over(range.begin);
  const auto begin = first != nullptr ? first->key() : std::string_view(range.begin);
  tombstones_.visit_from(begin, [&](const auto& tombstone) {
    if (!is_before(tombstone.key(), range.end)) return false;
    tombstones.add({std::string(tombstone.key()), tombstone.value()});
    return true;
  });
  if (!range.begin.empty() || range.end) tombstones = tombstones.clipped(range);
  return made.take(std::move(tombstones));
}

KnownRange Memtable::part(const KeyEnd& key, bool before, std::size_t count_max) const {
  KeyRange range = before ? part_before(key, count_max) : part_behind(*key, count_max);
  RunRef run = run_of(range, {});
  return {std::move(run), std::move(range)};
}

// Ends the range before the entry that would exceed count_max.
KeyRange Memtable::part_behind(const std::string& key, std::size_t count_max) const {
  KeyRange range{key, std::nullopt};
  const auto end_at_last = [&, count = std::size_t{0}](const auto& entry) mutable {
    if (!is_before(entry.key(), range.end)) return false;
    if (count++ < count_max) return true;
    range.end = std::string(entry.key());
    return false;
  };
  points_.visit_from(key, end_at_last);
  tombstones_.visit_from(key, end_at_last);
  return range;
}

KeyRange Memtable::part_before(const KeyEnd& key, std::size_t count_max) const {
  KeyRange range{"", key};
  const auto begin_at_last = [&, count = std::size_t{0}](const auto& entry) mutable {
    if (entry.key() < range.begin) return false;
    if (++count < count_max) return true;
    range.begin = std::string(entry.key());
    return false;
  };
  points_.visit_before(key, begin_at_last);
  tombstones_.visit_before(key, begin_at_last);
  return range;
}

RunRef Memtable::freeze() {
  RunRef all = run();
  *this = {};
  return all;
}

}  // namespace dgfs::delta
