// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Flush policy: what of a node's messages moves to its children, and when.
#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store/run/run_merge.h"
#include "delta/store/tree/flusher.h"

namespace dgfs::delta {

// A range tombstone goes down at once as long as it covers a whole slot there: what it has made
// superfluous would else take space until there are so many messages that they go down by
// themselves.
Status Flusher::flush_tombstones(const Node& node, const RangeTombstones& tombstones,
                                 const KeyRange& range, std::vector<Slot>& slots) {
  if (tombstones.empty()) return ok();
  for (auto i = slots.size(); i-- > 0;) {  // the last first, as more slots may take its place
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

// The heaviest slot first: a flush that moves much costs little for each message.
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
  }
}

Status Flusher::flush_slot(std::size_t at, const KeyRange& range, std::vector<Slot>& slots) {
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
