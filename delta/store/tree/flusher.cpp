// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/flusher.h"

#include <utility>

#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_parts.h"

namespace dgfs::delta {
namespace {

// A reader looks into each run of a slot.
constexpr std::size_t kRunsMax = 8;

}  // namespace

Result<std::shared_ptr<const Node>> load_child(unsigned height, const Slot& slot,
                                               const BlockSource& source) {
  DGFS_TRY(child, slot.child->load(source));
  if (child->height() + 1 != height) {
    return Error(ErrorKind::kCorrupt, 7060, "a node has a child of another height");
  }
  return child;
}

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
  while (true) {  // one that has a single child and nothing to say is none
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
    if (message.large) message.large->give_to_tree();
  }
  for (const LargeRef& value : made_) value->give_to_tree();
}

void Flusher::give_up() {
  balance_.clear();
  made_.clear();
  used_up_ = {};
  cut_off_.clear();
}

StoredRun Flusher::make(RunRef run) {
  auto made = make_run(std::move(run));
  balance_.gain(made->values());
  return made;
}

void Flusher::retire(const StoredRun& run) {
  balance_.lose(run->values());
  if (const auto place = run->place()) used_up_.blocks.push_back(place->extent());
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
    DGFS_CHECK(rewrite_basements(slots));
  } else {
    DGFS_CHECK(flush_tombstones(*node, run->tombstones(), range, slots));
    DGFS_CHECK(flush(node->height(), range, slots));
    DGFS_CHECK(merge_children(slots));
  }
  return split(node->height(), std::move(slots), parameters_.fanout);
}

// What is covered as a whole is not read: its blocks are no longer of use, whatever they hold.
Status Flusher::hand_out(const Node& node, const RunRef& run, const KeyRange& range,
                         std::vector<Slot>& slots) {
  if (run->empty()) return ok();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto slot_range = node.range_of(i, range);
    auto part = clipped(run, slot_range);
    if (part->tombstones().covers(slot_range)) {
      clear(node.height(), slots[i]);
      if (parameters_.keeps_removals == 0) part = without_tombstones(part);
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

}  // namespace dgfs::delta
