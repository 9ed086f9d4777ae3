// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The lowest level of the tree: what waits there is put into basements.
#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store/extent/value_binder.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_merge.h"
#include "delta/store/run/run_parts.h"
#include "delta/store/tree/flusher.h"

namespace dgfs::delta {
namespace {

// A basement is rewritten when this part of its size waits for it: each message so costs twice
// its bytes at the lowest level, besides its own.
constexpr std::uint64_t kBasementShare = 2;

bool is_empty(const Slot& slot) { return slot.basement == nullptr && slot.runs.empty(); }

}  // namespace

Status Flusher::rewrite_basements(std::vector<Slot>& slots) {
  std::vector<Slot> all;
  for (Slot& slot : slots) {
    const bool is_due = slot.waiting_bytes() > parameters_.basement_bytes / kBasementShare ||
                        (slot.basement == nullptr && !slot.runs.empty());
    if (!is_due) {
      all.push_back(std::move(slot));
      continue;
    }
    DGFS_TRY(parts, rewritten(slot));
    std::ranges::move(parts, std::back_inserter(all));
  }
  // Small neighbours become one; what is empty leaves its range to the one before.
  slots.clear();
  for (Slot& slot : all) {
    const bool has_room =
        !slots.empty() && (is_empty(slot) || is_empty(slots.back()) ||
                           (slot.basement && slots.back().basement && slot.runs.empty() &&
                            slots.back().runs.empty() &&
                            slot.basement->size_bytes() + slots.back().basement->size_bytes() <
                                parameters_.basement_bytes / 2));
    if (!has_room) {
      slots.push_back(std::move(slot));
      continue;
    }
    Slot& before = slots.back();
    if (is_empty(slot)) continue;
    if (is_empty(before)) {
      slot.low = before.low;
      before = std::move(slot);
      continue;
    }
    DGFS_TRY(left, before.basement->load(source_));
    DGFS_TRY(right, slot.basement->load(source_));
    retire(before.basement);
    retire(slot.basement);
    before.basement = make(merged(left, right));
  }
  return ok();
}

Result<std::vector<Slot>> Flusher::rewritten(const Slot& slot) {
  std::vector<StoredRun> sources;
  if (slot.basement) sources.push_back(slot.basement);
  sources.insert(sources.end(), slot.runs.begin(), slot.runs.end());
  DGFS_TRY(all, taken(sources));
  all = settled(all, parameters_.born_object);
  DGFS_TRY(basement, with_large_values(all));
  std::vector<Slot> parts;
  for (auto& [low, part] : cut(basement, parameters_.basement_bytes)) {
    Slot own;
    own.low = parts.empty() ? slot.low : std::move(low);
    if (!part->empty()) own.basement = make(std::move(part));
    parts.push_back(std::move(own));
  }
  return parts;
}

// What patches have made large while it was in the tree leaves it, and a large value of which they
// have changed more than half is written anew: its patches would be read with it each time.
Result<RunRef> Flusher::with_large_values(const RunRef& run) {
  const auto is_due = [this](const Point& point) {
    if (point.boxed == nullptr) return point.value.size() > parameters_.inline_bytes;
    const Message& message = *point.boxed;
    return message.large && message.patch.size_bytes() > message.large->length_bytes() / 2;
  };
  if (std::ranges::none_of(run->points(), is_due)) return run;
  RunBuilder points;
  for (const Point point : run->points()) {
    if (!is_due(point)) {
      points.add(point);
      continue;
    }
    DGFS_TRY(message, in_volume(point.message()));
    points.add(point.key, std::move(message));
  }
  return points.take(run->tombstones());
}

Result<Message> Flusher::in_volume(const Message& message) {
  DGFS_TRY(value, value_of(message, *volume_));
  auto large = std::make_shared<const LargeValue>(std::move(value), *volume_);
  const auto promise = volume_->promise(padded_bytes(large->length_bytes()));
  if (!promise) return promise.error();
  ValueBinder binder(*volume_);
  DGFS_CHECK(binder.add(*large));
  DGFS_CHECK(binder.finish());
  made_.push_back(large);
  return Message::put(std::move(large));
}

}  // namespace dgfs::delta
