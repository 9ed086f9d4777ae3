// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/editor.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dgfs::delta {
namespace {

// A reader looks into each run of a slot.
constexpr std::size_t kRunsMax = 8;

// A new node, as a slot for the one above.
Slot slot_of(unsigned height, std::vector<Slot>::iterator begin, std::vector<Slot>::iterator end) {
  Slot slot;
  slot.low = begin->low;
  slot.child = make_node(height, {std::make_move_iterator(begin), std::make_move_iterator(end)});
  return slot;
}

}  // namespace

Result<std::shared_ptr<const Node>> load_child(unsigned height, const Slot& slot,
                                               const BlockSource& source) {
  DGFS_TRY(child, slot.child->load(source));
  if (child->height() + 1 != height) {
    return Error(ErrorKind::kCorrupt, 7060, "a node has a child of another height");
  }
  return child;
}

Result<StoredNode> TreeEditor::push(const StoredNode& root, const RunRef& run, bool flushes) {
  begin();
  flushes_ = flushes;
  balance_.lose(run->values());
  return push_and_grow(root, run);
}

Result<StoredNode> TreeEditor::push_and_grow(const StoredNode& root, const RunRef& run) {
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

void TreeEditor::accept(const Run& run) {
  used_up_.values = balance_.lost();
  retired_.add(used_up_);
  dropped_.insert(dropped_.end(), cut_off_.begin(), cut_off_.end());
  for (const Message& message : run.boxed()) {
    if (message.large) message.large->give_to_tree();
  }
  for (const LargeRef& value : made_) value->give_to_tree();
  begin();
}

void TreeEditor::begin() {
  balance_.clear();
  made_.clear();
  used_up_ = {};
  cut_off_.clear();
}

StoredRun TreeEditor::make(RunRef run) {
  auto made = make_run(std::move(run));
  balance_.gain(made->values());
  return made;
}

void TreeEditor::retire(const StoredRun& run) {
  balance_.lose(run->values());
  if (const auto place = run->place()) used_up_.blocks.push_back(place->extent());
}

void TreeEditor::retire(const StoredNode& node) {
  if (const auto place = node->place()) used_up_.blocks.push_back(place->extent());
}

UsedSpace TreeEditor::take_retired() { return std::exchange(retired_, {}); }
std::vector<StoredNode> TreeEditor::take_dropped() { return std::exchange(dropped_, {}); }

Result<TreeEditor::Nodes> TreeEditor::push(const StoredNode& stored, const RunRef& run,
                                           const KeyRange& range) {
  DGFS_TRY(node, stored->load(source_));
  retire(stored);
  std::vector<Slot> slots = node->slots();
  DGFS_CHECK(hand_out(*node, run, range, slots));
  if (!flushes_) return Nodes{slot_of(node->height(), slots.begin(), slots.end())};
  if (node->height() == 0) {
    DGFS_CHECK(rewrite_basements(slots));
  } else {
    DGFS_CHECK(flush_fragments(*node, run->fragments(), range, slots));
    DGFS_CHECK(flush(node->height(), range, slots));
    DGFS_CHECK(merge_children(slots));
  }
  Nodes nodes;
  const auto parts = (slots.size() + parameters_.fanout - 1) / parameters_.fanout;
  for (std::size_t part = 0, begin = 0; part < parts; ++part) {
    const auto end = slots.size() * (part + 1) / parts;
    nodes.push_back(slot_of(node->height(), slots.begin() + static_cast<std::ptrdiff_t>(begin),
                            slots.begin() + static_cast<std::ptrdiff_t>(end)));
    begin = end;
  }
  return nodes;
}

// What is covered as a whole is not read: its blocks are no longer of use, whatever they hold.
Status TreeEditor::hand_out(const Node& node, const RunRef& run, const KeyRange& range,
                            std::vector<Slot>& slots) {
  if (run->empty()) return ok();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto slot_range = node.range_of(i, range);
    auto part = clipped(run, slot_range);
    if (part->fragments().covers(slot_range)) {
      clear(node.height(), slots[i]);
      if (parameters_.keeps_removals == 0) part = without_fragments(part);
    }
    if (!part->empty()) slots[i].runs.push_back(make(std::move(part)));
    if (flushes_ && slots[i].runs.size() > kRunsMax) {
      DGFS_TRY(all, taken(slots[i].runs));
      slots[i].runs = {make(std::move(all))};
    }
  }
  return ok();
}

void TreeEditor::clear(unsigned height, Slot& slot) {
  for (const auto& run : slot.runs) retire(run);
  slot.runs.clear();
  if (slot.basement) retire(slot.basement);
  slot.basement = nullptr;
  if (slot.child) {
    cut_off_.push_back(slot.child);
    slot.child = Node::make_empty(height - 1);
  }
}

// A fragment goes down at once as long as it covers a whole slot there: what it has made
// superfluous would else take space until there are so many messages that they go down by
// themselves.
Status TreeEditor::flush_fragments(const Node& node, const Fragments& fragments,
                                   const KeyRange& range, std::vector<Slot>& slots) {
  if (fragments.empty()) return ok();
  for (auto i = slots.size(); i-- > 0;) {  // the last first, as more slots may take its place
    const auto own = node.range_of(i, range);
    const auto part = fragments.clipped(own);
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

// The heaviest slot first: a flush that moves much costs little for each message.
Status TreeEditor::flush(unsigned height, const KeyRange& range, std::vector<Slot>& slots) {
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
  }
}

Status TreeEditor::flush_slot(std::size_t at, const KeyRange& range, std::vector<Slot>& slots) {
  Slot& slot = slots[at];
  DGFS_TRY(run, taken(slot.runs));
  DGFS_TRY(nodes, push(slot.child, run, range));
  nodes.front().low = slot.low;
  const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(at);
  *begin = std::move(nodes.front());
  slots.insert(begin + 1, std::make_move_iterator(nodes.begin() + 1),
               std::make_move_iterator(nodes.end()));
  return ok();
}

Result<RunRef> TreeEditor::taken(std::vector<StoredRun>& runs) {
  std::vector<RunRef> loaded;
  for (const auto& run : runs) {
    DGFS_TRY(each, run->load(source_));
    loaded.push_back(std::move(each));
    retire(run);
  }
  runs.clear();
  return merged(std::move(loaded));
}

Status TreeEditor::merge_children(std::vector<Slot>& slots) {
  for (std::size_t i = 1; i < slots.size();) {
    DGFS_TRY(is_one, try_merge(slots[i - 1], slots[i]));
    if (is_one) {
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return ok();
}

// Only what is in memory, that is what has just been changed, tells how many slots it has without
// being read; a small one that nobody changes harms nobody.
Result<bool> TreeEditor::try_merge(Slot& left, const Slot& right) {
  if (left.child->place() && right.child->place()) return false;
  DGFS_TRY(a, left.child->load(source_));
  DGFS_TRY(b, right.child->load(source_));
  if (a->height() != b->height()) {
    return Error(ErrorKind::kCorrupt, 7061, "children of one node differ in height");
  }
  if (std::min(a->slots().size(), b->slots().size()) * 4 > parameters_.fanout ||
      (a->slots().size() + b->slots().size()) * 4 > parameters_.fanout * 3) {
    return false;
  }
  std::vector<Slot> slots = a->slots();
  const auto joint = slots.size();
  slots.insert(slots.end(), b->slots().begin(), b->slots().end());
  slots[joint].low = right.low;
  retire(left.child);
  retire(right.child);
  left.child = make_node(a->height(), std::move(slots));
  // Their keys are others, so that it does not matter which is older.
  left.runs.insert(left.runs.end(), right.runs.begin(), right.runs.end());
  return true;
}

}  // namespace dgfs::delta
