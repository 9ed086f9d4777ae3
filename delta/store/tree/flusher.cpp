// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/flusher.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_merge.h"
#include "delta/store/run/run_parts.h"

namespace dgfs::delta {
namespace {

// A lookup may read each run of a slot.
constexpr std::size_t kRunsMax = 8;

}  // namespace

Result<StoredNode> Flusher::push(const StoredNode& root, const RunRef& run, bool flushes) {
  give_up();
  flushes_ = flushes;
  balance_.lose(run->values());
  DGFS_TRY(pushed, push_and_grow(root, run));
  used_up_.values = balance_.lost();
  return pushed;
}

Result<StoredNode> Flusher::push_and_grow(const StoredNode& root, const RunRef& run) {
  DGFS_TRY(nodes, push(root, run, {"", std::nullopt}));
  while (nodes.size() > 1) {
    DGFS_TRY(child, nodes.front().child->load(source_));
    const StoredNode above = make_node(child->height() + 1, std::move(nodes));
    DGFS_TRY(more, push(above, empty_run(), {"", std::nullopt}));
    nodes = std::move(more);
  }
  StoredNode top = nodes.front().child;
  while (true) {  // an inner root with a single child and no messages is dropped
    DGFS_TRY(node, top->load(source_));
    if (node->height() == 0 || node->slots().size() > 1 || !node->slots()[0].runs.empty()) {
      return top;
    }
    retire(top);
    top = node->slots()[0].child;
  }
}

void Flusher::accept(const Run& run) {
  for (const Message& message : run.boxed()) {
    visit_large(message, [](const LargeRef& large) { large->give_to_tree(); });
  }
  for (const LargeRef& value : made_large_) value->give_to_tree();
  pushed_down_ = nullptr;
  made_.clear();
  unwritten_.clear();
  unwritten_bytes_ = 0;
  spilled_.clear();
  // No reader has seen these blocks.
  unfreed_.splice(unfreed_.end(), in_vain_);
  free_unfreed();
}

void Flusher::give_up() {
  balance_.clear();
  pushed_down_ = nullptr;
  made_large_.clear();
  used_up_ = {};
  cut_off_.clear();
  made_.clear();
  unwritten_.clear();
  unwritten_bytes_ = 0;
  unfreed_.splice(unfreed_.end(), spilled_);
  unfreed_.splice(unfreed_.end(), in_vain_);
  free_unfreed();
}

void Flusher::free_unfreed() {
  try {
    for (; !unfreed_.empty(); unfreed_.pop_front()) {
      const auto place = unfreed_.front()->place();
      if (place) writer_->free(place->extent());
    }
  } catch (const std::bad_alloc&) {
  }
}

void Flusher::add_unfreed(std::vector<Extent>& blocks) const {
  for (const StoredRun& run : unfreed_) {
    if (const auto place = run->place()) blocks.push_back(place->extent());
  }
}

StoredRun Flusher::make(RunRef run) {
  auto made = make_run(std::move(run));
  balance_.gain(made->values());
  unwritten_.push_back(made);
  made_.emplace(made.get(), std::prev(unwritten_.end()));
  unwritten_bytes_ += made->size_bytes();
  made_bytes_ += made->size_bytes();
  return made;
}

// Otherwise the whole new tree would be in memory. A run that the push takes again was written in
// vain. Its block is known even if writing it fails.
Status Flusher::spill() {
  if (unwritten_bytes_ <= bytes_max_) return ok();
  while (!unwritten_.empty()) {
    unwritten_bytes_ -= unwritten_.front()->size_bytes();
    spilled_.splice(spilled_.end(), unwritten_, unwritten_.begin());
    DGFS_CHECK(writer_->write_run(spilled_.back()));
  }
  return ok();
}

void Flusher::retire(const StoredRun& run) {
  balance_.lose(run->values());
  const auto made = made_.find(run.get());
  if (made == made_.end()) {
    if (const auto place = run->place()) used_up_.blocks.push_back(place->extent());
    return;
  }
  if (run->place()) {
    in_vain_.splice(in_vain_.end(), spilled_, made->second);
  } else {
    unwritten_bytes_ -= run->size_bytes();
    unwritten_.erase(made->second);
  }
  made_.erase(made);
}

void Flusher::retire(const StoredNode& node) {
  if (const auto place = node->place()) used_up_.blocks.push_back(place->extent());
}

Result<Flusher::Nodes> Flusher::push(const StoredNode& stored, const RunRef& run,
                                     const KeyRange& range) {
  DGFS_TRY(node, stored->load(source_));
  retire(stored);
  std::vector<Slot> slots = node->slots();
  DGFS_CHECK(hand_out(*node, run, range, slots));
  if (!flushes_) {
    const auto all = slots.size();
    return split(node->height(), std::move(slots), all);
  }
  if (node->height() == 0) {
    DGFS_CHECK(rewrite_basements(range, slots));
  } else {
    DGFS_CHECK(flush_tombstones(*node, run->tombstones(), range, slots));
    DGFS_CHECK(push_down_slots(*node, range, slots));
    DGFS_CHECK(flush(node->height(), range, slots));
    DGFS_CHECK(merge_children(slots));
  }
  return split(node->height(), std::move(slots), parameters_.fanout);
}

// A slot that is covered completely is not read: its blocks are not used any more, whatever they
// hold.
Status Flusher::hand_out(const Node& node, const RunRef& run, const KeyRange& range,
                         std::vector<Slot>& slots) {
  if (run->empty()) return ok();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto slot_range = node.range_of(i, range);
    auto part = clipped(run, slot_range);
    if (part->tombstones().covers(slot_range)) {
      clear(node.height(), slots[i]);
      part = with_tombstones_over_older(part, parameters_.born_object);
    }
    if (!part->empty()) slots[i].runs.push_back(make(std::move(part)));
    if (flushes_ && slots[i].runs.size() > kRunsMax) {
      DGFS_TRY(all, taken(slots[i].runs));
      slots[i].runs = {make(std::move(all))};
    }
  }
  return ok();
}

void Flusher::clear(unsigned height, Slot& slot) {
  for (const auto& run : slot.runs) retire(run);
  slot.runs.clear();
  if (slot.basement) retire(slot.basement);
  slot.basement = nullptr;
  if (slot.child) {
    cut_off_.push_back(slot.child);
    slot.child = Node::make_empty(height - 1);
  }
}

// Flushes a range tombstone at once as long as it covers a whole slot of the child: otherwise the
// superseded data would take space until enough messages are there for an ordinary flush.
Status Flusher::flush_tombstones(const Node& node, const RangeTombstones& tombstones,
                                 const KeyRange& range, std::vector<Slot>& slots) {
  if (tombstones.empty()) return ok();
  // Backward, because a flush may replace a slot by several.
  for (auto i = slots.size(); i-- > 0;) {
    const auto own = node.range_of(i, range);
    const auto part = tombstones.clipped(own);
    if (part.empty() || slots[i].runs.empty()) continue;
    DGFS_TRY(child, load_child(node.height(), slots[i], source_));
    bool covers_any = false;
    for (std::size_t j = 0; j < child->slots().size(); ++j) {
      covers_any |= part.covers(child->range_of(j, own));
    }
    if (!covers_any) continue;
    DGFS_CHECK(flush_slot(i, own, slots));
  }
  return ok();
}

Result<StoredNode> Flusher::push_down(const StoredNode& root, const RangeTombstones& ranges,
                                      std::uint64_t bytes_max) {
  give_up();
  flushes_ = true;
  has_left_ = false;
  pushed_down_ = &ranges;
  down_end_bytes_ = made_bytes_ + bytes_max;
  Slot top;
  top.child = root;
  DGFS_TRY(node, root->load(source_));
  DGFS_TRY(has_to, has_to_go_down(node->height() + 1, top, {"", std::nullopt}));
  if (!has_to) return root;
  DGFS_TRY(settled, push_and_grow(root, empty_run()));
  used_up_.values = balance_.lost();
  return settled;
}

// Whether a slot, or anything below it, has messages that wait for the ranges of push_down().
Result<bool> Flusher::has_to_go_down(unsigned height, const Slot& slot, const KeyRange& range) {
  if (!pushed_down_->overlaps(range)) return false;
  if (!slot.runs.empty()) return true;
  if (height == 0) return false;
  DGFS_TRY(child, load_child(height, slot, source_));
  for (std::size_t i = 0; i < child->slots().size(); ++i) {
    DGFS_TRY(has_to, has_to_go_down(child->height(), child->slots()[i], child->range_of(i, range)));
    if (has_to) return true;
  }
  return false;
}

bool Flusher::is_down_enough() {
  has_left_ = has_left_ || made_bytes_ >= down_end_bytes_;
  return has_left_;
}

Status Flusher::push_down_slots(const Node& node, const KeyRange& range, std::vector<Slot>& slots) {
  if (pushed_down_ == nullptr) return ok();
  const Node handed_out(node.height(), slots);
  // Backward, because a flush may replace a slot by several.
  for (auto i = slots.size(); i-- > 0;) {
    const auto own = handed_out.range_of(i, range);
    DGFS_TRY(has_to, has_to_go_down(node.height(), handed_out.slots()[i], own));
    if (!has_to || is_down_enough()) continue;
    DGFS_CHECK(flush_slot(i, own, slots));
    DGFS_CHECK(spill());
  }
  return ok();
}

// The slot with most bytes first: a large flush costs little for each message.
Status Flusher::flush(unsigned height, const KeyRange& range, std::vector<Slot>& slots) {
  while (true) {
    std::size_t waiting = 0;
    std::size_t heaviest = 0;
    std::size_t heaviest_bytes = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto bytes = slots[i].waiting_bytes();
      waiting += bytes;
      if (bytes > heaviest_bytes) {
        heaviest = i;
        heaviest_bytes = bytes;
      }
    }
    if (waiting <= parameters_.buffer_bytes) return ok();
    const Node view(height, slots);
    DGFS_CHECK(flush_slot(heaviest, view.range_of(heaviest, range), slots));
    DGFS_CHECK(spill());
  }
}

Status Flusher::flush_slot(std::size_t at, const KeyRange& range, std::vector<Slot>& slots) {
  Slot& slot = slots[at];
  RunRef run = empty_run();
  if (!slot.runs.empty()) {
    DGFS_TRY(waiting, taken(slot.runs));
    run = std::move(waiting);
  }
  DGFS_TRY(nodes, push(slot.child, run, range));
  nodes.front().low = slot.low;
  const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(at);
  *begin = std::move(nodes.front());
  slots.insert(begin + 1, std::make_move_iterator(nodes.begin() + 1),
               std::make_move_iterator(nodes.end()));
  return ok();
}

Result<RunRef> Flusher::taken(std::vector<StoredRun>& runs) {
  std::vector<RunRef> loaded;
  for (const auto& run : runs) {
    DGFS_TRY(each, run->load(source_));
    loaded.push_back(std::move(each));
    retire(run);
  }
  runs.clear();
  return merged(std::move(loaded));
}

}  // namespace dgfs::delta
