// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The lowest level of the tree: merges waiting messages into basements.
#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "delta/store/extent/value_binder.h"
#include "delta/store/run/late_binding.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_merge.h"
#include "delta/store/run/run_parts.h"
#include "delta/store/tree/flusher.h"

namespace dgfs::delta {
namespace {

// A basement is rewritten when this part of its size waits for it. So at the lowest level each
// message costs at most twice its bytes in addition to its own.
constexpr std::uint64_t kBasementShare = 2;

bool is_empty(const Slot& slot) { return slot.basement == nullptr && slot.runs.empty(); }

/// The length of a message's value, and its parts. A value.
struct Parts {
  std::uint64_t length_bytes = 0;  ///< of the value, or of all pieces
  std::uint64_t small_bytes = 0;   ///< memory of small edits
  std::uint64_t large_bytes = 0;   ///< of all large values, used or not
};

Parts parts_of(const Message& message) {
  Parts parts;
  if (message.value) parts.length_bytes = message.value->size();
  if (message.large) parts.length_bytes = message.large->length_bytes();
  std::uint64_t pieces_bytes = 0;
  for (const Edit& edit : message.patch.edits()) {
    if (!std::holds_alternative<LargePiece>(edit)) parts.small_bytes += Patch::bytes_of(edit);
    if (!lengthens(edit)) continue;
    pieces_bytes += end_of(edit) - begin_of(edit);
    if (message.kind == MessageKind::kPut) {
      parts.length_bytes = std::max(parts.length_bytes, end_of(edit));
    }
  }
  if (message.kind == MessageKind::kPatch) parts.length_bytes = pieces_bytes;
  for (const LargeRef& large : large_values(message)) parts.large_bytes += large->length_bytes();
  return parts;
}

// Whether the message has large values or pieces, and is better written anew.
bool is_worn(const Message& message) {
  if (message.patch.empty() || is_small(message)) return false;
  const Parts parts = parts_of(message);
  const bool has_many_small =
      message.kind == MessageKind::kPut && parts.small_bytes > parts.length_bytes / 2;
  return has_many_small || parts.large_bytes > 2 * parts.length_bytes;
}

bool has_long_piece(const Patch& patch, std::uint64_t piece_bytes) {
  return std::ranges::any_of(patch.edits(), [&](const Edit& edit) {
    const auto* piece = std::get_if<Piece>(&edit);
    return piece != nullptr && piece->bytes.size() > piece_bytes;
  });
}

// Whether a value or a piece is to become large.
bool has_long_bytes(const Message& message, const LargeBounds& bounds) {
  return (message.value && message.value->size() > bounds.value_bytes_max) ||
         has_long_piece(message.patch, bounds.piece_bytes_max);
}

bool is_to_be_written(const Message& message, const LargeBounds& bounds) {
  return has_long_bytes(message, bounds) || is_worn(message);
}

}  // namespace

Status Flusher::rewrite_basements(const KeyRange& range, std::vector<Slot>& slots) {
  std::vector<Slot> all;
  const Node handed_out(0, slots);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    const bool is_due =
        slot.waiting_bytes() > parameters_.basement_bytes / kBasementShare ||
        (slot.basement == nullptr && !slot.runs.empty()) ||
        (pushed_down_ != nullptr && !slot.runs.empty() &&
         pushed_down_->overlaps(handed_out.range_of(i, range)) && !is_down_enough());
    if (!is_due) {
      all.push_back(std::move(slot));
      continue;
    }
    DGFS_TRY(parts, rewritten(slot));
    std::ranges::move(parts, std::back_inserter(all));
    DGFS_CHECK(spill());
  }
  // Joins small neighbours; an empty slot leaves its range to the slot before.
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

// Moves values that have become large by patches in the tree to the extent volume. Rewrites a value
// completely if its small pieces take more than half of its length: each read of the value reads
// them. Also rewrites it if the large values to which it refers are more than twice as long as it
// is.
Result<RunRef> Flusher::with_large_values(const RunRef& run) {
  const auto bounds = parameters_.large_bounds();
  const auto is_due = [&](const Point& point) {
    if (point.boxed != nullptr) return is_to_be_written(*point.boxed, bounds);
    if (point.kind != MessageKind::kPatch) return point.value.size() > bounds.value_bytes_max;
    return point.value.size() > bounds.piece_bytes_max &&
           has_long_piece(point.message().patch, bounds.piece_bytes_max);
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

// If the volume has no space, a worn message stays as it is: inside the tree it would take even
// more space.
Result<Message> Flusher::in_volume(Message message) {
  const auto bounds = parameters_.large_bounds();
  if (is_worn(message)) {
    DGFS_TRY(whole, without_large(message, *volume_));
    whole = late_bound(std::move(whole), bounds, *volume_);
    if (!has_long_bytes(whole, bounds)) message = std::move(whole);
  }
  message = late_bound(std::move(message), bounds, *volume_);
  ValueBinder binder(*volume_);
  for (const LargeRef& large : large_values(message)) {
    if (large->extent()) continue;
    DGFS_CHECK(binder.add(*large));
    made_large_.push_back(large);
    made_bytes_ += large->length_bytes();
  }
  DGFS_CHECK(binder.finish());
  return message;
}

}  // namespace dgfs::delta
