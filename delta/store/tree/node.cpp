// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/node.h"

#include <algorithm>
#include <utility>

#include "delta/store/disk/block_codec.h"
#include "delta/store/disk/decode_error.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/disk/place_codec.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

constexpr unsigned kHeightMax = 32;

void encode_stored(const TreeRun& run, Encoder& out) {
  encode_place(*run.place(), out);
  out.varint(run.size_bytes());
  out.varint(run.values().size());
  for (const Extent& value : run.values()) encode_extent(value, out);
  out.varint(run.filter().bits().size());
  out.raw(run.filter().bits());
  out.varint(run.has_tombstones() ? 1 : 0);
  run.pages().encode(out);
}

Result<StoredRun> decode_stored(Decoder& in) {
  DGFS_TRY(place, decode_place(in));
  DGFS_TRY(size_bytes, in.varint());
  DGFS_TRY(value_count, in.varint_up_to(in.remaining()));
  std::vector<Extent> values;
  for (std::uint64_t i = 0; i < value_count; ++i) {
    DGFS_TRY(value, decode_extent(in));
    values.push_back(value);
  }
  DGFS_TRY(filter_bytes, in.varint());
  DGFS_TRY(filter, in.raw(filter_bytes));
  DGFS_TRY(has_tombstones, in.varint_up_to(1));
  DGFS_TRY(pages, RunPages::decode(in, place.length_bytes));
  return StoredRun(std::make_shared<const TreeRun>(
      place, static_cast<std::size_t>(size_bytes),
      TreeRun::About{std::move(values), KeyFilter(Buffer(filter.begin(), filter.end())),
                     has_tombstones == 1},
      std::move(pages)));
}

Result<Slot> decode_slot(unsigned height, Decoder& in) {
  Slot slot;
  DGFS_TRY(low, in.string(kKeyBytesMax));
  slot.low = low;
  if (height > 0) {
    DGFS_TRY(place, decode_place(in));
    slot.child =
        std::make_shared<const Stored<Node>>(place, static_cast<std::size_t>(place.length_bytes));
  } else {
    DGFS_TRY(has_basement, in.varint_up_to(1));
    if (has_basement == 1) {
      DGFS_TRY(basement, decode_stored(in));
      slot.basement = std::move(basement);
    }
  }
  DGFS_TRY(run_count, in.varint_up_to(in.remaining()));
  for (std::uint64_t i = 0; i < run_count; ++i) {
    DGFS_TRY(run, decode_stored(in));
    slot.runs.push_back(std::move(run));
  }
  return slot;
}

// Includes the table of pages that the run makes once one is read.
std::size_t bytes_of(const TreeRun& run) {
  return sizeof(StoredRun) + sizeof(TreeRun) + run.values().size() * sizeof(Extent) +
         run.filter().bits().size() + run.pages().size_bytes() +
         run.pages().size() * sizeof(std::weak_ptr<const Run>);
}

}  // namespace

std::size_t Slot::waiting_bytes() const {
  std::size_t bytes = 0;
  for (const auto& run : runs) bytes += run->size_bytes();
  return bytes;
}

std::size_t Node::size_bytes() const {
  std::size_t bytes = sizeof(Node);
  for (const Slot& slot : slots_) {
    bytes += sizeof(Slot) + slot.low.size();
    if (slot.child) bytes += sizeof(Stored<Node>);
    if (slot.basement) bytes += bytes_of(*slot.basement);
    for (const auto& run : slot.runs) bytes += bytes_of(*run);
  }
  return bytes;
}

StoredNode Node::make_empty(unsigned height) {
  Slot slot;
  if (height > 0) slot.child = make_empty(height - 1);
  return make_node(height, {std::move(slot)});
}

std::size_t Node::find(std::string_view key) const {
  const auto behind =
      std::upper_bound(slots_.begin() + 1, slots_.end(), key,
                       [](std::string_view wanted, const Slot& slot) { return wanted < slot.low; });
  return static_cast<std::size_t>(behind - slots_.begin()) - 1;
}

KeyRange Node::range_of(std::size_t slot, const KeyRange& range) const {
  return {slot == 0 ? range.begin : slots_[slot].low,
          slot + 1 == slots_.size() ? range.end : KeyEnd(slots_[slot + 1].low)};
}

void Node::encode(Buffer& out) const {
  Encoder encoder(out);
  encoder.varint(height_);
  encoder.varint(slots_.size());
  for (const Slot& slot : slots_) {
    encoder.string(slot.low);
    if (height_ > 0) {
      encode_place(*slot.child->place(), encoder);
    } else {
      encoder.varint(slot.basement ? 1 : 0);
      if (slot.basement) encode_stored(*slot.basement, encoder);
    }
    encoder.varint(slot.runs.size());
    for (const auto& run : slot.runs) encode_stored(*run, encoder);
  }
}

Result<std::shared_ptr<const Node>> Node::decode(Bytes bytes) {
  Decoder in(bytes);
  DGFS_TRY(height, in.varint_up_to(kHeightMax));
  DGFS_TRY(count, in.varint_up_to(bytes.size()));
  if (count == 0) return corrupt(7050, in, "a node without slots");
  std::vector<Slot> slots;
  for (std::uint64_t i = 0; i < count; ++i) {
    DGFS_TRY(slot, decode_slot(static_cast<unsigned>(height), in));
    // The low key of the first slot is not used. That of the second must be above the empty key,
    // which the first slot has.
    const std::string_view before = i > 1 ? std::string_view(slots.back().low) : "";
    if (i > 0 && slot.low <= before) return corrupt(7051, in, "slots out of order");
    slots.push_back(std::move(slot));
  }
  DGFS_CHECK(in.finish());
  return std::shared_ptr<const Node>(
      std::make_shared<const Node>(static_cast<unsigned>(height), std::move(slots)));
}

Result<std::shared_ptr<const Node>> Node::unpack(Bytes stored, std::size_t /*size_bytes*/) {
  Buffer room;
  DGFS_TRY(block, unpack_block(stored, room));
  return decode(block);
}

Result<std::shared_ptr<const Node>> load_child(unsigned height, const Slot& slot,
                                               const BlockSource& source) {
  DGFS_TRY(child, slot.child->load(source));
  if (child->height() + 1 != height) {
    return Error(ErrorKind::kCorrupt, 7060, "a node has a child of another height");
  }
  return child;
}

}  // namespace dgfs::delta
