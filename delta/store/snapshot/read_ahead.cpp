// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/read_ahead.h"

namespace dgfs::delta {
namespace {

// So many slots ahead: about half a megabyte of basements.
constexpr std::size_t kDistance = 8;

template <class T>
void announce_block(const std::shared_ptr<const T>& part, const BlockSource& source) {
  if (!part || part->is_in_memory()) return;
  source.file->announce(part->place()->extent());
}

// A run is small if it takes at most this part of its large values. So in the worst case this much
// more is read than a reader of all of them needs.
constexpr std::uint64_t kIndexShare = 16;

bool is_small_beside_its_values(const TreeRun& run, std::uint64_t length_bytes) {
  std::uint64_t value_bytes = 0;
  for (const Extent& value : run.values()) value_bytes += value.length_bytes;
  return length_bytes * kIndexShare <= value_bytes;
}

// Joins consecutive extents.
class Stretch {
 public:
  explicit Stretch(const BlockSource& source) : source_(source) {}

  void add(const TreeRun& run) {
    if (run.is_in_memory()) return;
    const auto place = run.place();
    if (!is_small_beside_its_values(run, place->length_bytes)) return;
    if (extent_.end_bytes() != place->offset_bytes) {
      announce();
      extent_.offset_bytes = place->offset_bytes;
    }
    extent_.length_bytes =
        place->offset_bytes + padded_bytes(place->length_bytes) - extent_.offset_bytes;
  }
  void announce() {
    if (extent_.length_bytes != 0) source_.file->announce(extent_);
    extent_.length_bytes = 0;
  }

 private:
  const BlockSource& source_;
  Extent extent_;
};

}  // namespace

void announce_index_of_values(const Node& leaf, const BlockSource& source) {
  Stretch stretch(source);
  for (const Slot& slot : leaf.slots()) {
    if (slot.basement) stretch.add(*slot.basement);
    for (const auto& run : slot.runs) stretch.add(*run);
  }
  stretch.announce();
}

void ReadAhead::step(bool backward) {
  steps_ = backward == backward_ ? steps_ + 1 : 1;
  backward_ = backward;
}

// Whether the slot is the first one that the cursor reaches in the node.
bool ReadAhead::enters(const Node& node, std::size_t slot) const {
  return slot == (backward_ ? node.slots().size() - 1 : 0);
}

void ReadAhead::visit_leaf(const Node& node, std::size_t slot, const BlockSource& source) const {
  if (steps_ == 0) return;
  const bool is_first = steps_ == 1 || enters(node, slot);
  for (std::size_t distance = is_first ? 1 : kDistance; distance <= kDistance; ++distance) {
    announce(node, slot, distance, source);
  }
}

void ReadAhead::visit_inner(const Node& node, std::size_t slot, const Node& child,
                            std::size_t child_slot, const BlockSource& source) const {
  if (steps_ > 0 && (steps_ == 1 || enters(child, child_slot))) announce(node, slot, 1, source);
}

void ReadAhead::announce(const Node& node, std::size_t slot, std::size_t distance,
                         const BlockSource& source) const {
  if (backward_ ? distance > slot : slot + distance >= node.slots().size()) return;
  const Slot& next = node.slots()[backward_ ? slot - distance : slot + distance];
  announce_block(next.child, source);
  announce_block(next.basement, source);
  for (const auto& run : next.runs) announce_block(run, source);
}

}  // namespace dgfs::delta
