// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/maintenance.h"

#include <algorithm>
#include <new>
#include <utility>

namespace dgfs::delta {
namespace {

// The most checkpoints that make_space() asks for. Each one makes the files shorter.
constexpr int kCleaningsMax = 16;

}  // namespace

Maintenance::Maintenance(const Parts& parts, storage::File& superblocks,
                         const Superblock& superblock, std::uint64_t identity,
                         const StoreOptions& options)
    : files_(parts.files),
      tables_(parts.tables),
      filter_(parts.filter),
      space_(parts.space),
      reserve_(parts.reserve),
      log_(parts.log),
      dead_(parts.dead),
      failure_(parts.failure),
      options_(options),
      superblocks_(superblocks),
      superblock_(superblock),
      identity_(identity),
      tree_(files_, tables_, reserve_, options),
      cleaning_(files_, tables_, filter_, reserve_, tree_, options),
      in_tree_(superblock.sequence) {}

// Runs at the end of each call, also after an error or an exception.
class Maintenance::End {
 public:
  explicit End(Maintenance& maintenance) : ended_(maintenance) {}
  ~End() {
    ended_.tree_.give_up();
    ended_.tables_.unsettle();  // left if the call failed
    ended_.is_closing_ = false;
    ended_.is_resting_ = false;
    ended_.note_retired();
    ended_.note_memory();
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

 private:
  Maintenance& ended_;
};

template <class Call>
Status Maintenance::work(Call call) {
  const std::lock_guard lock(lock_);
  const End end(*this);
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7098, "no memory for moving changes into the tree");
  }
}

Status Maintenance::recover() {
  DGFS_CHECK(find_used_space());
  DGFS_CHECK(log_.replay(superblock_.log));
  // Now the space of its large values is in use.
  DGFS_CHECK(files_.blocks.find_holes());
  DGFS_CHECK(files_.values.file().find_holes());
  note_memory();
  // The superblock that was read may not be on the disk: its sync failed, or the process that wrote
  // it ended before. The superblock before it may need space that it counts as free. So it is
  // written again, since a sync alone writes nothing after a failed one.
  DGFS_CHECK(write_superblock(superblocks_, superblock_));
  DGFS_CHECK(superblocks_.sync());
  DGFS_CHECK(reopen_log());
  const bool has_two_segments = log_.is_past(superblock_.log);
  if (has_two_segments || tables_.sequence() > superblock_.sequence) {
    DGFS_CHECK(make_checkpoint());
  }
  // The first checkpoint has not changed the segment, because the other one was needed. So its last
  // group may not be on the disk, and no group may follow it.
  if (has_two_segments) {
    DGFS_CHECK(make_checkpoint());
  }
  DGFS_CHECK(reserve_.keep(*tree_.root()));
  return reserve_.shorten_opened_files(*tree_.root());
}

// The blocks of an unreadable filter are free, but the maps count them as used: so the maps are not
// used then.
Status Maintenance::find_used_space() {
  filter_.load(superblock_.filter);
  std::vector<Place> in_use = filter_.blocks();
  in_use.push_back(superblock_.root);
  if (filter_.place() == superblock_.filter && space_.load(superblock_.space, in_use)) return ok();
  DGFS_CHECK(tree_.mark_used_space());
  filter_.mark_used_space();
  return ok();
}

// Before any group is logged or any block written, a superblock says that groups may follow, and
// which files belong together. It is written into the other slot, because the one that was read
// must stay valid.
Status Maintenance::reopen_log() {
  if (!superblock_.log.is_end && superblock_.identity == identity_) return ok();
  superblock_.log.is_end = false;
  superblock_.identity = identity_;
  ++superblock_.checkpoint;
  DGFS_CHECK(write_superblock(superblocks_, superblock_));
  return superblocks_.sync();
}

bool Maintenance::load_filter_stage() {
  const std::lock_guard lock(lock_);
  const bool is_loaded = filter_.load_stage();
  note_memory();
  return is_loaded;
}

Status Maintenance::move_tables() {
  return work([this] { return move_all(); });
}

Status Maintenance::move_tables_above(std::uint64_t bytes) {
  return work([this, bytes] {
    if (failure_.check() && tables_.backlog().tree_bytes <= bytes) return Status(ok());
    return move_all();
  });
}

Status Maintenance::make_checkpoint() {
  return work([this] { return write_checkpoint(); });
}

Result<std::uint64_t> Maintenance::make_last_checkpoint(std::uint64_t now_seconds) {
  std::uint64_t closed_at = 0;
  DGFS_CHECK(work([&]() -> Status {
    is_closing_ = true;
    closed_at = closed_after(now_seconds);
    superblock_.closed_at = closed_at;
    DGFS_CHECK(write_checkpoint());
    // If the last group did not fit into its segment, it is in the one that the checkpoint has
    // begun.
    return superblock_.log.is_end ? Status(ok()) : write_checkpoint();
  }));
  return closed_at;
}

// Both superblocks are marked, so that losing either of them does not bring back one that needs a
// log. A crash between two steps leaves a closed store, with or without the mark.
Result<std::uint64_t> Maintenance::make_layer(const SealedMark& mark, std::uint64_t identity,
                                              std::uint64_t now_seconds) {
  std::uint64_t closed_at = 0;
  DGFS_CHECK(work([&]() -> Status {
    if (!superblock_.log.is_end) {
      return Error(ErrorKind::kInvalidArgument, 7509, "the store was not closed");
    }
    static_cast<void>(tree_.free_space());
    for (BlockFile* file : {&files_.values.file(), &files_.blocks}) {
      DGFS_CHECK(file->trim());
      DGFS_CHECK(file->sync());
    }
    Superblock next = superblock_;
    next.sealed = mark;
    next.identity = identity;
    next.closed_at = closed_at = closed_after(now_seconds);
    for (int slots = 0; slots < 2; ++slots) {
      ++next.checkpoint;
      DGFS_CHECK(write_durably(slot_begin_bytes(next), encode_superblock(next)));
    }
    superblock_ = next;
    return ok();
  }));
  return closed_at;
}

// A later closing gets a later time, even within the same second: then no file of an earlier one
// has it.
std::uint64_t Maintenance::closed_after(std::uint64_t now_seconds) const {
  return std::min(std::max(now_seconds, superblock_.closed_at) + 1, kClosedAtMax);
}

Status Maintenance::move_all() {
  DGFS_CHECK(tables_.settle());
  log_.make_settled_large();
  slice_settled();
  DGFS_CHECK(log_.bind_settled());
  return tree_.push_tables();
}

// The tables stay in place until their slices replace them.
void Maintenance::slice_settled() {
  const MemoryBudget::Share in_hand(files_.budget, tables_.backlog().tree_bytes);
  files_.cache.shrink();
  tables_.slice_settled(options_.dirty_bytes);
}

Status Maintenance::write_checkpoint() {
  const auto dead = dead_.take();
  try {
    auto written = write_checkpoint(dead);
    if (!written) dead_.give_back(dead, false);
    return written;
  } catch (const std::bad_alloc&) {
    dead_.give_back(dead, false);
    throw;
  }
}

Status Maintenance::write_checkpoint(const RangeTombstones& dead) {
  DGFS_TRY(checkpoint, log_.begin_checkpoint(superblock_.log));
  DGFS_CHECK(renew_tree(checkpoint, dead));
  DGFS_CHECK(write_superblock_of(checkpoint));
  // The checkpoint is made: nothing that follows needs memory.
  log_.finish(checkpoint);
  note_checkpoint(checkpoint);
  tree_.note_checkpoint();
  filter_.note_checkpoint();
  space_.note_checkpoint();
  return shorten_files();
}

// Writers report their tables as these grow.
void Maintenance::note_memory() {
  files_.budget.note(MemoryBudget::Holder::kTables, tables_.backlog().tree_bytes);
  files_.budget.note(MemoryBudget::Holder::kValues, files_.values.promised_bytes());
  const auto stretches = files_.blocks.stretches() + files_.values.file().stretches();
  files_.budget.note(MemoryBudget::Holder::kSpaceMaps,
                     static_cast<std::size_t>(stretches) * SpaceMap::kBytesOfStretch);
  files_.note_memory(MemoryBudget::Holder::kFilter, filter_.filter().memory_bytes());
}

// Writes the tree with all settled tables.
Status Maintenance::renew_tree(const CommitLog::Checkpoint& checkpoint,
                               const RangeTombstones& dead) {
  log_.make_settled_large(&checkpoint);
  slice_settled();
  DGFS_CHECK(log_.bind_settled(&checkpoint));
  DGFS_CHECK(tree_.push_tables());
  if (!checkpoint.keeps_writers()) {  // otherwise all writers wait
    DGFS_CHECK(free_dead(dead));
  } else {
    dead_.give_back(dead, true);
  }
  DGFS_CHECK(tree_.write(tree_.root()));
  DGFS_CHECK(filter_.write());                         // the filter has all keys of the tree
  if (!checkpoint.keeps_writers()) cleaning_.clean();  // otherwise all writers wait
  write_space();
  return ok();
}

// The next checkpoint flushes the ranges that are left. If the disk has no space for them, that
// checkpoint is not made for them alone.
Status Maintenance::free_dead(const RangeTombstones& dead) {
  RangeTombstones left = dead;
  DGFS_TRY(has_space, tree_.push_down(left));
  if (!left.empty()) {
    dead_.give_back(left, has_space);
  } else if (!dead.empty()) {
    dead_.note_seen_to();
  }
  return ok();
}

// Comes last, because the maps contain everything that a checkpoint writes.
void Maintenance::write_space() {
  auto spare = tree_.spare_space();
  if (!spare || !reserve_.is_there()) {
    space_.write_none();
    return;
  }
  const auto add = [](std::vector<Extent>& all, const std::vector<Extent>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(spare->blocks, filter_.spare());
  add(spare->blocks, cleaning_.left().blocks);
  add(spare->values, cleaning_.left().values);
  space_.write(*std::move(spare));
}

Status Maintenance::write_superblock_of(const CommitLog::Checkpoint& checkpoint) {
  const auto root = tree_.root();
  for (BlockFile* file : {&files_.blocks, &files_.values.file()}) {
    DGFS_CHECK(failure_.note_sync([file] { return file->sync(); }));
  }
  Superblock next = superblock_;
  ++next.checkpoint;
  next.sequence = checkpoint.sequence;
  next.log = checkpoint.log;
  next.log.is_end = is_closing_ && log_.progress().used_bytes == 0;
  next.identity = identity_;
  next.root = *root->place();
  next.filter = filter_.place();
  next.space = space_.maps();
  const Buffer bytes = encode_superblock(next);
  DGFS_CHECK(failure_.check());
  // After an error it is unknown whether the superblock is on the disk, and which part of the log
  // is superfluous.
  if (auto written = write_durably(slot_begin_bytes(next), bytes); !written) {
    return failure_.note(written.error());
  }
  superblock_ = next;
  return ok();
}

Status Maintenance::write_durably(std::uint64_t offset_bytes, Bytes superblock) {
  try {
    DGFS_CHECK(superblocks_.write_at(offset_bytes, superblock));
    return superblocks_.sync();
  } catch (const std::bad_alloc&) {
    return std::move(unknown_);
  }
}

// Without memory it is done after the next checkpoint.
Status Maintenance::shorten_files() {
  try {
    if (is_closing_) return reserve_.shorten_closed_files(*tree_.root());
    return reserve_.shorten_files(*tree_.root(), is_resting_);
  } catch (const std::bad_alloc&) {
    return ok();
  }
}

void Maintenance::note_checkpoint(const CommitLog::Checkpoint& checkpoint) {
  const std::lock_guard lock(counts_lock_);
  in_tree_ = checkpoint.sequence;
  ++counts_.checkpoints;
  counts_.block_bytes = files_.blocks.written_bytes();
}

void Maintenance::note_retired() {
  const auto held_bytes = tree_.retired().held_bytes();
  const auto waiting_bytes =
      tree_.retired().waiting_bytes() + filter_.retired_bytes() + space_.retired_bytes();
  const auto filter_bytes = filter_.disk_bytes();
  const std::lock_guard lock(counts_lock_);
  counts_.filter_bytes = filter_bytes;
  counts_.held_bytes = held_bytes;
  counts_.waiting_bytes = waiting_bytes;
}

std::uint64_t Maintenance::in_tree() const {
  const std::lock_guard lock(counts_lock_);
  return in_tree_;
}

Maintenance::Counts Maintenance::counts() const {
  const std::lock_guard lock(counts_lock_);
  return counts_;
}

Status Maintenance::make_space() {
  try {
    return find_and_clean_space();
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(lock_);
    cleaning_.end_urgency();
    return Error(ErrorKind::kLimit, 7203, "no memory for making space");
  }
}

Status Maintenance::find_and_clean_space() {
  DGFS_CHECK(find_space());
  for (int cleanings = 0;; ++cleanings) {
    DGFS_TRY(is_found, reserve_.has_what_was_refused());
    if (is_found || cleanings == kCleaningsMax) break;
    DGFS_TRY(is_shorter, clean_for_space());
    if (!is_shorter) break;
  }
  reserve_.forget_refused();
  return ok();
}

Status Maintenance::find_space() {
  if (in_tree() < tables_.sequence()) return make_checkpoint();
  {
    const std::lock_guard lock(lock_);
    if (!tree_.waits_for_checkpoint()) {
      static_cast<void>(tree_.free_space());  // a view may have ended
      note_retired();
      DGFS_CHECK(reserve_.keep(*tree_.root()));
      return ok();
    }
  }
  return make_checkpoint();
}

// If the reserve of blocks is not kept, tables that wait for the tree need the free space, too:
// they have to be pushed first.
bool Maintenance::is_cleaning_in_vain() {
  if (!reserve_.is_there() && in_tree() < tables_.sequence()) return true;
  return tables_.is_view_kept() || tree_.has_retired() || in_tree() == cleaned_in_vain_;
}

Result<bool> Maintenance::clean_for_space() {
  Cleaning::State before;
  {
    const std::lock_guard lock(lock_);
    if (is_cleaning_in_vain()) return false;
    before = cleaning_.state();
    cleaning_.make_urgent();
  }
  const auto made = make_checkpoint();
  const std::lock_guard lock(lock_);
  cleaning_.end_urgency();
  DGFS_CHECK(made);
  const auto after = cleaning_.state();
  if (after.end_bytes < before.end_bytes || after.narrowed > before.narrowed) return true;
  cleaned_in_vain_ = in_tree();
  return false;
}

Resting::State Maintenance::resting_state() {
  const auto cleaning = cleaning_.state();
  return {tables_.sequence(),
          in_tree(),
          cleaning.end_bytes,
          cleaning.narrowed,
          tree_.waits_for_checkpoint(),
          dead_.bytes() != 0,
          files_.blocks.is_sparse(options_.spare_bytes) ||
              files_.values.file().is_sparse(options_.spare_bytes)};
}

Result<bool> Maintenance::rest() {
  bool is_over = false;
  DGFS_CHECK(work([&] {
    auto rested = rest_a_while();
    is_over = resting_.is_over();
    return rested;
  }));
  return !is_over;
}

Status Maintenance::rest_a_while() {
  if (tree_.has_retired()) {
    if (tree_.free_space()) resting_.note_new_space();
  }
  const auto before = resting_state();
  if (!resting_.is_due(before)) return ok();
  is_resting_ = true;
  DGFS_CHECK(write_checkpoint());
  resting_.note_checkpoint(before, resting_state());
  return ok();
}

}  // namespace dgfs::delta
