// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/live_tree.h"

#include <algorithm>
#include <new>
#include <utility>

#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

// A push holds the messages of a node and of its child at several levels, before and after the
// change.
constexpr std::size_t kBuffersInHand = 4;
// The most ranges that one push_down() flushes.
constexpr std::size_t kRangesTogether = 32;
// One checkpoint writes at least this much for dead ranges, or so many times `dirty_bytes`.
constexpr std::size_t kLeastDownBytes = std::size_t{1} << 20;
constexpr std::size_t kDownShare = 2;

}  // namespace

Status LiveTree::mark_used_space() {
  return each_extent(root(), files_.source(), [this](SpaceKind kind, const Extent& extent) {
    return kind == SpaceKind::kBlock ? files_.blocks.mark(extent)
                                     : files_.values.file().mark(extent);
  });
}

// Each table makes a new tree. Most of that tree is written before the next table is pushed, so
// that only a little of it is in memory alone.
Status LiveTree::push_tables() {
  for (const MemtableRef& table : tables_.settled()) {
    DGFS_CHECK(push_table(table));
    DGFS_CHECK(spill());
  }
  return ok();
}

// Pushes the oldest table.
Status LiveTree::push_table(const MemtableRef& table) {
  const RunRef run = table->run();
  const MemoryBudget::Share in_hand(
      files_.budget, options_.dirty_bytes + kBuffersInHand * options_.parameters.buffer_bytes);
  files_.cache.shrink();
  DGFS_TRY(root, pushed(this->root(), run));
  accept(std::move(root), *run, 1);
  return ok();
}

// Once the view has changed, nothing that follows needs memory.
void LiveTree::accept(StoredNode root, const Run& run, std::size_t tables) {
  Retired& retired = replace_root(std::move(root), tables);
  flusher_.accept(run);
  retired.space = flusher_.take_used_up();
  retired.subtrees = flusher_.take_cut_off();
  tell_space(retired);
}

Result<bool> LiveTree::push_down(RangeTombstones& ranges) {
  const auto end_bytes =
      flusher_.made_bytes() + kDownShare * std::max(options_.dirty_bytes, kLeastDownBytes);
  while (!ranges.empty() && flusher_.made_bytes() < end_bytes) {
    RangeTombstones some;
    RangeTombstones others;
    for (const auto& [begin, end] : ranges) {
      (some.size() < kRangesTogether ? some : others).add({begin, end});
    }
    DGFS_TRY(has_space, push_down_some(some, end_bytes - flusher_.made_bytes()));
    if (!has_space) return false;
    if (!flusher_.has_left()) ranges = std::move(others);
    DGFS_CHECK(spill());
  }
  return true;
}

// False: the disk has no space for it now. Blocks that cannot be read stay as they are: their
// readers get the error, and checkpoints go on.
Result<bool> LiveTree::push_down_some(const RangeTombstones& ranges, std::uint64_t bytes_max) {
  const MemoryBudget::Share in_hand(
      files_.budget, options_.dirty_bytes + kBuffersInHand * options_.parameters.buffer_bytes);
  files_.cache.shrink();
  auto pushed = flusher_.push_down(root(), ranges, bytes_max);
  if (!pushed) {
    flusher_.give_up();
    return pushed.error().kind() != ErrorKind::kNoSpace;
  }
  if (pushed.value() == root()) {
    flusher_.give_up();
    return true;
  }
  DGFS_TRY(is_kept, reserve_.keep(*pushed.value()));
  if (!is_kept) {
    flusher_.give_up();
    DGFS_CHECK(reserve_.keep(*root()));
    return false;
  }
  accept(std::move(pushed).value(), *empty_run(), 0);
  return true;
}

Result<StoredNode> LiveTree::pushed(const StoredNode& root, const RunRef& run) {
  auto pushed = flusher_.push(root, run);
  if (!pushed && pushed.error().kind() != ErrorKind::kNoSpace) return pushed;
  if (pushed) {
    DGFS_TRY(is_kept, reserve_.keep(*pushed.value(), run->size_bytes()));
    if (is_kept) return pushed;
  }
  DGFS_TRY(least, flusher_.push(root, run, false));
  DGFS_CHECK(reserve_.keep(*least, run->size_bytes()));
  return least;
}

// Retires everything that only the old tree uses.
Retired& LiveTree::replace_root(StoredNode root, std::size_t tables) {
  auto room = RetiredBlocks::room_for(tables_.hold());
  tables_.replace_tree(std::move(root), tables);
  return retired_.add(std::move(room));
}

void LiveTree::replace(const StoredNode& root, UsedSpace used_up) {
  replace_root(root, 0).space = std::move(used_up);
}

// Blocks that are written before a checkpoint needs them do no harm: a crash forgets them. Those
// that change again were written in vain.
Status LiveTree::spill() {
  const auto root = this->root();
  DGFS_TRY(bytes, unwritten_bytes(*root, files_.source()));
  if (bytes > options_.dirty_bytes) return write(root);
  files_.note_memory(MemoryBudget::Holder::kTree, bytes);
  return ok();
}

Status LiveTree::write(const StoredNode& root) {
  DGFS_CHECK(writer_.write(root));
  files_.note_memory(MemoryBudget::Holder::kTree, 0);
  return ok();
}

// Without memory, subtrees stay until the next checkpoint or until they are freed.
void LiveTree::tell_space(Retired& retired) {
  try {
    for (auto& subtrees = retired.subtrees; !subtrees.empty(); subtrees.pop_back()) {
      tell_space(subtrees.back(), retired.space);
    }
  } catch (const std::bad_alloc&) {
  }
}

// Adds all of a subtree, or nothing if it throws. Space of unreadable blocks is found to be free
// when the store is opened again.
void LiveTree::tell_space(const StoredNode& subtree, UsedSpace& space) {
  const auto blocks = space.blocks.size();
  const auto values = space.values.size();
  const auto note = [&](SpaceKind kind, const Extent& extent) {
    (kind == SpaceKind::kBlock ? space.blocks : space.values).push_back(extent);
    return Status(ok());
  };
  try {
    const auto told = each_extent(subtree, files_.source(), note);
    // A block that cannot be unpacked for lack of memory returns kLimit.
    if (!told && told.error().kind() == ErrorKind::kLimit) throw std::bad_alloc();
    has_lost_space_ |= !told;
  } catch (const std::bad_alloc&) {
    space.blocks.resize(blocks);
    space.values.resize(values);
    throw;
  }
}

void LiveTree::note_checkpoint() {
  retired_.note_checkpoint();
  files_.values.note_checkpoint();
  free_space();
  for (Retired& each : retired_.all()) tell_space(each);
}

std::optional<UsedSpace> LiveTree::spare_space() {
  UsedSpace spare;
  for (Retired& each : retired_.all()) {
    tell_space(each);
    if (!each.subtrees.empty()) return std::nullopt;
    spare.blocks.insert(spare.blocks.end(), each.space.blocks.begin(), each.space.blocks.end());
    spare.values.insert(spare.values.end(), each.space.values.begin(), each.space.values.end());
  }
  if (has_lost_space_) return std::nullopt;
  flusher_.add_unfreed(spare.blocks);
  return spare;
}

// Frees piece by piece: without memory, a piece stays where it is noted.
bool LiveTree::free_space() {
  files_.values.free_dropped();
  bool is_any = false;
  try {
    while (Retired* free = retired_.oldest_free()) {
      tell_space(*free);
      if (!free->subtrees.empty()) break;
      files_.give_back(free->space);
      retired_.drop_oldest();
      is_any = true;
    }
  } catch (const std::bad_alloc&) {
  }
  return is_any;
}

}  // namespace dgfs::delta
