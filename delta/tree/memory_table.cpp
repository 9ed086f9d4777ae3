// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/memory_table.h"

#include <utility>

namespace dgfs::delta {
namespace {

// A node of the map, its strings and its message.
std::size_t bytes_of_point(const std::string& key, const Message& message) {
  return 4 * sizeof(void*) + sizeof(std::string) + key.size() + message.size_bytes();
}

}  // namespace

std::size_t MemoryTable::bytes_of(const Operation& operation) {
  if (const auto* change = std::get_if<PointChange>(&operation)) {
    return bytes_of_point(change->key, change->message);
  }
  Fragments fragments;
  fragments.add(std::get<RangeDelete>(operation).range);
  return fragments.size_bytes();
}

void MemoryTable::apply(const Operation& operation) {
  if (const auto* range = std::get_if<RangeDelete>(&operation)) {
    remove(range->range);
  } else {
    const auto& change = std::get<PointChange>(operation);
    put(change.key, change.message);
  }
}

void MemoryTable::apply(const Batch& batch) {
  for (const Operation& operation : batch.operations()) apply(operation);
}

void MemoryTable::apply(const Run& run) {
  for (const auto& [begin, end] : run.fragments()) remove({begin, end});
  for (const auto& [key, message] : run.points()) put(key, message);
}

void MemoryTable::put(std::string key, Message message) {
  const bool is_covered = fragments_.covers(key);
  const auto at = points_.lower_bound(key);
  if (at != points_.end() && at->first == key) {
    size_bytes_ -= bytes_of_point(key, at->second);
    message = composed(at->second, std::move(message));
    if (is_covered && message.kind == MessageKind::kDelete) {
      points_.erase(at);
      return;
    }
    at->second = std::move(message);
    size_bytes_ += bytes_of_point(key, at->second);
    return;
  }
  if (is_covered) {
    if (message.kind == MessageKind::kDelete) return;
    message = over_nothing(std::move(message));
  }
  size_bytes_ += bytes_of_point(key, message);
  points_.emplace_hint(at, std::move(key), std::move(message));
}

void MemoryTable::remove(const KeyRange& range) {
  if (range.empty()) return;
  auto at = points_.lower_bound(range.begin);
  while (at != points_.end() && is_before(at->first, range.end)) {
    size_bytes_ -= bytes_of_point(at->first, at->second);
    at = points_.erase(at);
  }
  fragments_.add(range);
}

const Message* MemoryTable::find(std::string_view key) const {
  const auto point = points_.find(key);
  if (point != points_.end()) return &point->second;
  return fragments_.covers(key) ? &Message::removal() : nullptr;
}

RunRef MemoryTable::run() const {
  std::vector<Point> points;
  points.reserve(points_.size());
  for (const auto& [key, message] : points_) points.push_back({key, message});
  return std::make_shared<const Run>(std::move(points), Fragments(fragments_));
}

RunRef MemoryTable::freeze() {
  std::vector<Point> points;
  points.reserve(points_.size());
  while (!points_.empty()) {
    auto node = points_.extract(points_.begin());
    points.push_back({std::move(node.key()), std::move(node.mapped())});
  }
  size_bytes_ = 0;
  return std::make_shared<const Run>(std::move(points), std::exchange(fragments_, {}));
}

}  // namespace dgfs::delta
