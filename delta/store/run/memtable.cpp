// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/memtable.h"

#include <utility>

#include "delta/store/run/overlay.h"
#include "delta/store/run/run_builder.h"

namespace dgfs::delta {
namespace {

// A range delete that covers more takes longer than a call should.
constexpr std::size_t kCoveredMax = 256;

// A node of the map, its strings and its message.
std::size_t bytes_of_point(std::string_view key, const Message& message) {
  return 4 * sizeof(void*) + sizeof(std::string) + key.size() + message.size_bytes();
}

}  // namespace

std::size_t Memtable::bytes_of(const Operation& operation) {
  if (const auto* change = std::get_if<PointChange>(&operation)) {
    return bytes_of_point(change->key, change->message);
  }
  RangeTombstones tombstones;
  tombstones.add(std::get<RangeDelete>(operation).range);
  return tombstones.size_bytes();
}

bool Memtable::is_long(const Operation& operation) const {
  const auto* removal = std::get_if<RangeDelete>(&operation);
  if (removal == nullptr || removal->range.empty()) return false;
  std::size_t count = tombstones_.count_in(removal->range, kCoveredMax + 1);
  auto at = points().lower_bound(std::string_view(removal->range.begin));
  while (count <= kCoveredMax && at != points().end() &&
         is_before(Below::view(at->first), removal->range.end)) {
    ++count;
    ++at;
  }
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

const Memtable::Points& Memtable::points() const {
  static const Points none;
  return pooled_ ? pooled_->points : none;
}

Memtable::Points& Memtable::points() {
  if (!pooled_) pooled_ = std::make_unique<Pooled>();
  return pooled_->points;
}

void Memtable::put(std::string_view key, Message message) {
  Points& all = points();
  const auto at = all.lower_bound(key);
  const bool is_there = at != all.end() && Below::view(at->first) == key;
  const bool is_covered = tombstones_.covers(key);
  Overlay said(std::move(message));
  if (is_there) {
    size_bytes_ -= bytes_of_point(key, at->second);
    said.add_older(std::move(at->second));
  } else if (is_covered) {
    said.add_nothing_older();
  }
  message = said.take();
  if (is_covered && is_needless_over_nothing(message.kind)) {
    if (is_there) all.erase(at);
    return;
  }
  size_bytes_ += bytes_of_point(key, message);
  if (is_there) {
    at->second = std::move(message);
  } else {
    all.emplace_hint(at, Key(key.data(), key.size()), std::move(message));
  }
}

void Memtable::remove(const KeyRange& range) {
  if (range.empty()) return;
  if (pooled_) {
    Points& all = points();
    auto at = all.lower_bound(std::string_view(range.begin));
    while (at != all.end() && is_before(Below::view(at->first), range.end)) {
      size_bytes_ -= bytes_of_point(Below::view(at->first), at->second);
      at = all.erase(at);
    }
  }
  tombstones_.add(range);
}

const Message* Memtable::find(std::string_view key) const {
  const auto point = points().find(key);
  if (point != points().end()) return &point->second;
  return tombstones_.covers(key) ? &Message::removal() : nullptr;
}

RunRef Memtable::run() const {
  RunBuilder made;
  made.reserve(points().size(), size_bytes_ / 2);
  for (const auto& [key, message] : points()) made.add(Below::view(key), message);
  return made.take(tombstones_);
}

RunRef Memtable::freeze() {
  RunRef all = run();
  pooled_ = nullptr;
  size_bytes_ = 0;
  tombstones_ = {};
  return all;
}

}  // namespace dgfs::delta
