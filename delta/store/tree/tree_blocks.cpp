// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

template <class T>
Status block_of(const std::shared_ptr<const T>& part, const SpaceSink& sink) {
  const auto place = part->place();
  return place ? sink(SpaceKind::kBlock, place->extent()) : Status(ok());
}

Status extents_of(const StoredRun& run, const SpaceSink& sink) {
  for (const Extent& value : run->values()) {
    DGFS_CHECK(sink(SpaceKind::kValue, value));
  }
  return block_of(run, sink);
}

Status each_below(const Node& node, const BlockSource& source, const SpaceSink& sink) {
  for (const Slot& slot : node.slots()) {
    for (const auto& run : slot.runs) {
      DGFS_CHECK(extents_of(run, sink));
    }
    if (slot.basement) {
      DGFS_CHECK(extents_of(slot.basement, sink));
    }
    if (!slot.child) continue;
    DGFS_CHECK(block_of(slot.child, sink));
    DGFS_TRY(child, load_child(node.height(), slot, source));
    DGFS_CHECK(each_below(*child, source, sink));
  }
  return ok();
}

}  // namespace

Status TreeWriter::write_run(const StoredRun& run) {
  if (run->place()) return ok();
  DGFS_TRY(value, run->load(source_));
  DGFS_TRY(pages, pack_run(*value, page_bytes_, packer_, block_));
  DGFS_TRY(place, file_.write(block_));
  run->set_place(place, std::move(pages), source_);
  return ok();
}

Status TreeWriter::write_node(const StoredNode& node) {
  DGFS_TRY(value, node->load(source_));
  block_.clear();
  value->encode(block_);
  DGFS_TRY(stored, packer_.pack(block_));
  DGFS_TRY(place, file_.write(stored));
  node->set_place(place, source_);
  return ok();
}

Status TreeWriter::write(const StoredNode& root) {
  if (root->place()) return ok();  // then everything below it is written, too
  DGFS_TRY(node, root->load(source_));
  for (const Slot& slot : node->slots()) {
    if (slot.child) {
      DGFS_CHECK(write(slot.child));
    }
    if (slot.basement) {
      DGFS_CHECK(write_run(slot.basement));
    }
    for (const auto& run : slot.runs) {
      DGFS_CHECK(write_run(run));
    }
  }
  return write_node(root);
}

void TreeWriter::free(const Extent& block) {
  source_.cache->erase(block.offset_bytes);
  file_.free(block);
}

Result<std::uint64_t> unwritten_bytes(const Stored<Node>& root, const BlockSource& source) {
  if (root.place()) return std::uint64_t{0};
  DGFS_TRY(node, root.load(source));
  std::uint64_t bytes = node->size_bytes();
  for (const Slot& slot : node->slots()) {
    if (slot.child) {
      DGFS_TRY(below, unwritten_bytes(*slot.child, source));
      bytes += below;
    }
    if (slot.basement && !slot.basement->place()) bytes += slot.basement->size_bytes();
    for (const auto& run : slot.runs) bytes += run->place() ? 0 : run->size_bytes();
  }
  return bytes;
}

Status each_extent(const StoredNode& root, const BlockSource& source, const SpaceSink& sink) {
  DGFS_CHECK(block_of(root, sink));
  DGFS_TRY(node, root->load(source));
  return each_below(*node, source, sink);
}

}  // namespace dgfs::delta
