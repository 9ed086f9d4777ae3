// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/tree_cleaner.h"

#include <algorithm>

#include "delta/store/run/run_builder.h"

namespace dgfs::delta {

Result<StoredNode> TreeCleaner::cleaned(const StoredNode& root) {
  note_read(*root);
  DGFS_TRY(node, root->load(source_));
  auto made = cleaned(root, *node);
  taken_.blocks.reserve(taken_.blocks.size() + nodes_.size() + runs_.size());  // for take_taken()
  return made;
}

void TreeCleaner::note_read(const Stored<Node>& stored) {
  if (!stored.is_in_memory()) read_bytes_ += stored.place()->length_bytes;
}

Result<StoredNode> TreeCleaner::cleaned(const StoredNode& stored, const Node& node) {
  bool is_new = stored->place()->offset_bytes >= ends_.blocks;
  std::vector<Slot> slots = node.slots();
  for (Slot& slot : slots) {
    DGFS_TRY(has_changed, clean_slot(node.height(), slot));
    is_new |= has_changed;
  }
  if (!is_new) return stored;
  auto made = make_node(node.height(), std::move(slots));
  nodes_.push_back(made);
  used_up_.blocks.push_back(stored->place()->extent());
  made_bytes_ += made->size_bytes();
  return made;
}

Result<bool> TreeCleaner::clean_slot(unsigned height, Slot& slot) {
  bool has_changed = false;
  for (StoredRun& run : slot.runs) {
    DGFS_TRY(is_new, clean_run(run));
    has_changed |= is_new;
  }
  if (slot.basement) {
    DGFS_TRY(is_new, clean_run(slot.basement));
    has_changed |= is_new;
  }
  if (!slot.child || is_full()) return has_changed;
  note_read(*slot.child);
  DGFS_TRY(node, load_child(height, slot, source_));
  DGFS_TRY(child, cleaned(slot.child, *node));
  has_changed |= child != slot.child;
  slot.child = std::move(child);
  return has_changed;
}

// A run that is made anew is written before the end anyway, so its block need not be copied.
Result<bool> TreeCleaner::clean_run(StoredRun& run) {
  if (is_full()) return false;
  const auto is_behind = [this](const Extent& value) { return value.offset_bytes >= ends_.values; };
  if (std::ranges::any_of(run->values(), is_behind)) {
    DGFS_TRY(has_moved, move_values(run));
    if (has_moved) return true;
  }
  return run->place()->offset_bytes >= ends_.blocks ? move_block(run) : Result<bool>(false);
}

Result<bool> TreeCleaner::move_values(StoredRun& run) {
  DGFS_TRY(old, run->load(source_));
  bool has_moved = false;
  RunBuilder points;
  for (const Point point : old->points()) {
    if (point.boxed == nullptr) {
      points.add(point);
      continue;
    }
    const auto elsewhere = [&](const LargeRef& large) -> Result<LargeRef> {
      DGFS_TRY(to, moved(large));
      has_moved |= to != large;
      return to;
    };
    DGFS_TRY(message, with_other_values(*point.boxed, elsewhere));
    points.add(point.key, std::move(message));
  }
  if (!has_moved) return false;
  auto made = make_run(points.take(old->tombstones()));
  runs_.push_back(made);
  used_up_.blocks.push_back(run->place()->extent());
  made_bytes_ += made->size_bytes();
  run = std::move(made);
  return true;
}

Result<LargeRef> TreeCleaner::moved(const LargeRef& value) {
  ValuePlace place = *value->place();
  const Extent from = place.extent();
  if (from.offset_bytes < ends_.values || is_full()) return value;
  DGFS_TRY(bytes, values_.read_parts(place, 0, place.sums.size()));
  DGFS_TRY(to, copied(as_bytes(bytes), values_.file(), taken_.values));
  if (!to) return value;
  used_up_.values.push_back(from);
  moved_bytes_ += from.length_bytes;
  place.offset_bytes = to->offset_bytes;
  return std::make_shared<const LargeValue>(std::move(place));
}

// The space must be noted whatever happens, so that it can be given back; so its memory is reserved
// first.
Result<std::optional<Place>> TreeCleaner::copied(Bytes block, BlockFile& file,
                                                 std::vector<Extent>& taken) {
  if (taken.size() == taken.capacity()) taken.reserve(2 * taken.size() + 1);
  auto to = file.write_before_end(block);
  if (to && to.value()) taken.push_back(to.value()->extent());
  return to;
}

Result<bool> TreeCleaner::move_block(StoredRun& run) {
  const Place place = *run->place();
  DGFS_TRY(block, blocks_.read(place));
  DGFS_TRY(to, copied(block, blocks_, taken_.blocks));
  if (!to) return false;
  used_up_.blocks.push_back(place.extent());
  moved_bytes_ += place.length_bytes;
  run = std::make_shared<const TreeRun>(
      *to, run->size_bytes(), TreeRun::About{run->values(), run->filter(), run->has_tombstones()},
      run->pages());
  return true;
}

UsedSpace TreeCleaner::take_taken() noexcept {
  for (const StoredNode& node : nodes_) note_taken(*node);
  for (const StoredRun& run : runs_) note_taken(*run);
  nodes_.clear();
  runs_.clear();
  return std::exchange(taken_, {});
}

// cleaned() has reserved memory for all of them; they are written only after it.
template <class T>
void TreeCleaner::note_taken(const T& block) noexcept {
  if (const auto place = block.place()) taken_.blocks.push_back(place->extent());
}

}  // namespace dgfs::delta
