// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/store.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "delta/store/store_check.h"

namespace dgfs::delta {
namespace {

// Between two checkpoints large values may take so many times `table_bytes`.
constexpr std::uint64_t kValueShare = 8;
// A checkpoint is due when the logged groups would take this part of the memory: replay after a
// crash holds all of them in memory.
constexpr std::uint64_t kLogShare = 4;
// After this time without a notification a thread looks after the store.
constexpr std::chrono::milliseconds kRestInterval{5000};

StoreOptions with_parameters(StoreOptions options, const StoreParameters& parameters) {
  options.parameters = parameters;
  return divided_memory(options);
}

// Of the superblocks and both segments of the log.
std::uint64_t fixed_bytes(const StoreParameters& parameters) {
  return 2 * (kSuperblockBytes + parameters.segment_bytes);
}

StoredNode stored_root(const Place& root) {
  return std::make_shared<const Stored<Node>>(root, static_cast<std::size_t>(root.length_bytes));
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(storage::Env& env, const std::string& directory,
                                           const StoreOptions& options) {
  DGFS_TRY(files, open_store_files(env, directory, options));
  const auto superblock = files.superblock;
  if (files.origin == Origin::kUnproven && !options.accepts_torn_copy) {
    if (const auto checked = check_store(env, directory); !checked) {
      const auto& error = checked.error();
      return error.kind() == ErrorKind::kCorrupt ? torn_copy(directory, error) : error;
    }
  }
  std::unique_ptr<Store> store(
      new Store(env, std::move(files), with_parameters(options, superblock.parameters)));
  if (options.access == StoreAccess::kReadOnly) {
    store->filter_blocks_.load(superblock.filter);
    DGFS_CHECK(store->log_.replay(superblock.log));  // into memory
    store->maintenance_.note_memory();
    static_cast<void>(store->failure_.note(
        Error(ErrorKind::kPermission, 7132, "the store is open only for reading")
            .in_file(directory)));
  } else {
    store->files_.cap.note(fixed_bytes(superblock.parameters));
    DGFS_CHECK(store->files_.blocks.measure());
    DGFS_CHECK(store->files_.values.file().measure());
    DGFS_CHECK(store->maintenance_.recover());
    store->reserve_.look_at_disk();
  }
  store->recovered_ = store->tables_.sequence() - superblock.sequence;
  if (!options.in_background) {
    while (store->maintenance_.load_filter_stage()) {
    }
  }
  return store;
}

Store::Store(storage::Env& env, StoreFiles files, const StoreOptions& options)
    : env_(env),
      options_(options),
      is_sealed_(files.superblock.sealed.has_value()),
      own_files_(files.all()),
      superblocks_(std::move(files.superblocks)),
      files_(std::move(files.blocks), std::move(files.extents), options),
      filter_(options.parameters.born_object, options.filter_prefixes),
      filter_blocks_(files_.blocks, filter_),
      space_blocks_(files_),
      tables_(failure_, filter_, stored_root(files.superblock.root), files.superblock.sequence),
      log_(std::move(files.log), tables_, files_.values, failure_,
           options_.parameters.large_bounds(), files.superblock.sequence),
      reserve_(files_, tables_, filter_blocks_, space_blocks_, options),
      maintenance_(
          {files_, tables_, filter_blocks_, space_blocks_, reserve_, log_, dead_, failure_},
          *superblocks_, files.superblock, files.identity, options) {}

Status Store::start() {
  if (!options_.in_background || tending_ != nullptr) return ok();
  return only_reads() ? start_loading() : start_tending();
}

Status Store::start_loading() {
  if (filter_blocks_.is_loaded()) return ok();
  auto loading = std::make_unique<Worker>([this](Worker::Call) {
    load_filter();
    return ok();
  });
  DGFS_CHECK(loading->start());
  loading->notify();
  loading->finish();  // many layers at rest need no thread each
  tending_ = std::move(loading);
  return ok();
}

Status Store::start_tending() {
  auto tending =
      std::make_unique<Worker>([this](Worker::Call call) { return tend(call); }, kRestInterval);
  const Worker::Interval interval =
      options_.commit_interval.count() == 0 ? Worker::Interval() : options_.commit_interval;
  auto commits = std::make_unique<Worker>(
      [this, &tend_worker = *tending](Worker::Call) { return commit_unasked(tend_worker); },
      interval);
  if (!filter_blocks_.is_loaded()) tending->notify();
  DGFS_CHECK(tending->start());
  DGFS_CHECK(commits->start());
  tending_ = std::move(tending);
  commits_ = std::move(commits);
  return ok();
}

// If a call throws before the batch is in a table, nothing has changed, unless a sync on the way
// threw: then the store is torn.
template <class Call>
Result<std::uint64_t> Store::whole_or_refused(Call call) const {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    if (!failure_.check_torn()) throw;
    return Error(ErrorKind::kLimit, 7161, "no memory for a batch");
  }
}

Result<std::uint64_t> Store::apply(const Batch& batch) {
  return whole_or_refused([&]() -> Result<std::uint64_t> {
    auto patience = Patience::kFresh;
    while (true) {
      DGFS_TRY(sequence, add(batch, patience));
      if (sequence) {
        if (options_.commit_interval.count() == 0) {
          DGFS_CHECK(sync(*sequence));
        }
        return *sequence;
      }
      DGFS_CHECK(wait_for_room(batch));
      patience = Patience::kWaited;
    }
  });
}

Result<std::uint64_t> Store::try_apply(const Batch& batch, Patience patience) {
  return whole_or_refused([&]() -> Result<std::uint64_t> {
    DGFS_TRY(sequence, add(batch, patience));
    if (sequence) {
      if (options_.commit_interval.count() == 0 && commits_ != nullptr) commits_->notify();
      return *sequence;
    }
    return Error(ErrorKind::kBusy, 7162, "a batch has to wait for room");
  });
}

// none: the batch has to wait.
Result<std::optional<std::uint64_t>> Store::add(const Batch& batch, Patience patience) {
  DGFS_CHECK(failure_.check());
  DGFS_CHECK(check_batch(batch));
  const auto size = size_of(batch, options_.parameters.large_bounds());
  if (size.table_bytes > batch_bytes_max()) {
    return Error(ErrorKind::kLimit, 7072, "a batch is too large for the log");
  }
  return add_if_room(batch, size, patience);
}

Result<std::optional<std::uint64_t>> Store::add_if_room(const Batch& batch, const BatchSize& size,
                                                        Patience patience) {
  DGFS_TRY(admission, admit(batch, size));
  const auto room = room_for(size, admission ? size.value_bytes : 0);
  notify_of(room);
  if (!admission || has_to_wait(room, patience)) return std::optional<std::uint64_t>();
  const auto taken =
      size.value_bytes == 0
          ? tables_.take_in(batch, 0)
          : tables_.take_in(
                with_large_values(batch, options_.parameters.large_bounds(), files_.values),
                size.value_bytes);
  if (!taken) return taken.error();
  admission->note_taken_in();
  dead_.add(batch, env_.monotonic_ns());
  if (taken.value().has_frozen) join_tables_soon();
  if (tending_ != nullptr) charge(size);
  return std::optional(taken.value().sequence);
}

// Refuses a batch before any part of it is taken in, and notifies the thread that makes space.
Result<std::optional<SpaceReserve::Admission>> Store::admit(const Batch& batch,
                                                            const BatchSize& size) {
  const auto block_bytes = size.table_bytes + size.operations * kBlockAlignmentBytes;
  auto admission =
      reserve_.admit({batch.batch_class(), removes_only(batch), block_bytes, size.value_bytes});
  if (!admission) want_space();
  return admission;
}

void Store::want_space() {
  is_space_wanted_ = true;
  if (tending_ != nullptr) tending_->notify();
}

// All values of one batch go into one group, however large they are.
Store::Room Store::room_for(const BatchSize& batch, std::uint64_t promised_bytes) {
  const auto backlog = tables_.backlog();
  const auto unbound_bytes = files_.values.promised_to_batches_bytes() - promised_bytes;
  files_.budget.note(MemoryBudget::Holder::kValues, files_.values.promised_bytes());
  files_.note_memory(MemoryBudget::Holder::kTables, backlog.tree_bytes + batch.table_bytes);
  const auto is_filled = [&](std::uint64_t share) {
    return (backlog.group_bytes + batch.table_bytes) * share >
               options_.parameters.segment_bytes / kGroupShare ||
           (backlog.group_bytes != 0 && backlog.group_bytes * share > options_.table_bytes) ||
           (unbound_bytes != 0 &&
            (unbound_bytes + batch.value_bytes) * share > options_.table_bytes);
  };
  Room room;
  room.is_group_full = is_filled(1);
  room.is_group_half_full = is_filled(2);
  room.is_checkpoint_due = is_checkpoint_due();
  room.is_maintenance_due = backlog.tree_bytes > options_.table_bytes;
  room.are_tables_full = backlog.tree_bytes > kPatience * options_.table_bytes;
  room.has_too_many_tables = backlog.has_too_many;
  const std::lock_guard lock(pace_lock_);
  room.is_delay_due = tending_ != nullptr && pacer_.is_delay_due();
  return room;
}

// In a store with threads writers wait only when twice as much waits, so that the thread has time
// to work.
bool Store::has_to_wait(const Room& room, Patience patience) {
  if (room.is_group_full) return true;
  if (patience == Patience::kWaited) return false;
  if (tending_ == nullptr) {
    return room.is_checkpoint_due || room.is_maintenance_due || room.has_too_many_tables;
  }
  return room.are_tables_full || room.has_too_many_tables || room.is_delay_due;
}

void Store::notify_of(const Room& room) {
  if (tending_ == nullptr) return;
  if (room.is_group_half_full) commits_->notify();
  if (room.is_checkpoint_due || room.is_maintenance_due || room.has_too_many_tables) {
    tending_->notify();
  }
}

Status Store::wait_for_room(const Batch& batch) {
  DGFS_CHECK(failure_.check());
  const auto size = size_of(batch, options_.parameters.large_bounds());
  const auto room = room_for(size, 0);
  DGFS_CHECK(make_room(room));
  if (size.value_bytes != 0) {
    const WaitingTimer timer(env_, waits_.space_ns);
    DGFS_CHECK(ask_for_space(size.value_bytes));
  }
  if (!room.is_delay_due) return ok();
  const WaitingTimer timer(env_, waits_.tree_ns);
  Pacer::Duration delay(0);
  {
    const std::lock_guard lock(pace_lock_);
    delay = pacer_.take_delay();
  }
  std::this_thread::sleep_for(delay);
  return ok();
}

// Values that wait need their space in one piece, to be sure of it. Once they are written, they
// have taken what pieces there are, and the next one needs only its own. A checkpoint frees what
// was removed.
Status Store::ask_for_space(std::uint64_t value_bytes) {
  DGFS_TRY(is_there, reserve_.ask_for(value_bytes));
  if (!is_there && files_.values.promised_to_batches_bytes() != 0) {
    DGFS_CHECK(sync());
    DGFS_TRY(is_there_now, reserve_.ask_for(value_bytes));
    is_there = is_there_now;
  }
  if (!is_there && waiting_bytes() != 0) {
    DGFS_CHECK(checkpoint());
    DGFS_TRY(is_there_now, reserve_.ask_for(value_bytes));
    is_there = is_there_now;
  }
  if (!is_there) reserve_.note_lack(value_bytes);
  return ok();
}

// sync() finds out whether the segment is full.
Status Store::make_room(const Room& room) {
  if (room.is_group_full) {
    const WaitingTimer timer(env_, waits_.log_ns);
    DGFS_CHECK(sync());
  }
  const bool is_work_due = tending_ == nullptr ? room.is_checkpoint_due || room.is_maintenance_due
                                               : room.are_tables_full;
  if (!room.has_too_many_tables && !is_work_due) return ok();
  const WaitingTimer timer(env_, waits_.tree_ns);
  if (room.has_too_many_tables) tables_.join();
  if (!is_work_due) return ok();
  if (tending_ != nullptr) {
    return maintenance_.move_tables_above(kPatience * options_.table_bytes);
  }
  return room.is_checkpoint_due ? checkpoint() : maintain();
}

// Due if half a segment is full; if many large values were written, since the space of those that
// have died is freed only by a checkpoint; or if the disk is nearly full and a checkpoint would
// help.
bool Store::is_checkpoint_due() const {
  const auto progress = log_.progress();
  return progress.used_bytes > options_.parameters.segment_bytes / 2 ||
         progress.memory_bytes > options_.memory_bytes / kLogShare ||
         progress.value_bytes_since_checkpoint > kValueShare * options_.table_bytes ||
         reserve_.is_running_low() || is_dead_space_due() ||
         (reserve_.is_short() && reserve_.is_worth_a_checkpoint(waiting_bytes()));
}

bool Store::is_dead_space_due() const {
  using std::chrono::nanoseconds;
  return options_.in_background && dead_.bytes() >= options_.spare_bytes &&
         nanoseconds(env_.monotonic_ns() - dead_.since_ns()) >= options_.dead_interval;
}

std::uint64_t Store::waiting_bytes() const {
  return maintenance_.counts().waiting_bytes + files_.values.dropped_bytes();
}

void Store::charge(const BatchSize& batch) {
  const auto backlog = tables_.backlog();
  const Pacer::Backlog log{log_.progress().used_bytes + backlog.group_bytes,
                           options_.parameters.segment_bytes};
  const Pacer::Backlog tables{backlog.tree_bytes, kPatience * options_.table_bytes};
  const auto& longer = log.share() > tables.share() ? log : tables;
  const std::lock_guard lock(pace_lock_);
  pacer_.charge(batch.table_bytes, longer, now());
}

// Called when a batch has frozen a table. With threads the call stays short; without them it joins
// the tables itself.
void Store::join_tables_soon() {
  if (tending_ == nullptr) {
    tables_.join();
  } else {
    tending_->notify();
  }
}

// Waiting changes go into the tree first.
void Store::load_filter() {
  const auto is_work_due = [this] {
    return !only_reads() &&
           (is_checkpoint_due() || tables_.backlog().tree_bytes > options_.table_bytes);
  };
  while (!is_ending_ && !is_work_due() && maintenance_.load_filter_stage()) {
  }
}

Status Store::tend(Worker::Call call) {
  load_filter();
  auto tended = tend_tables();
  if (is_space_wanted_.exchange(false)) return make_space();
  if (call == Worker::Call::kInterval) {
    reserve_.look_at_disk();
    DGFS_CHECK(rest());
  }
  return tended;
}

Status Store::tend_tables() {
  const bool is_due = is_checkpoint_due();
  if (!is_due && tables_.backlog().tree_bytes <= options_.table_bytes) {
    tables_.join();  // many small tables lie on each other
    return ok();
  }
  {
    const std::lock_guard lock(pace_lock_);
    pacer_.begin_work(now());
  }
  auto tended = is_due ? checkpoint() : maintain();
  const std::lock_guard lock(pace_lock_);
  pacer_.end_work(now());
  return tended;
}

Status Store::make_space() { return maintenance_.make_space(); }
Result<bool> Store::rest() { return maintenance_.rest(); }

Status Store::sync() { return sync(tables_.sequence()); }

// A fresh store calls all batches of the stores below it durable, so it must be known to be in the
// stack before that counts.
Status Store::sync(std::uint64_t sequence) {
  log_.wait_until_released();
  if (durable() >= sequence) return failure_.check();
  if (sequence > tables_.sequence()) {
    return Error(ErrorKind::kInvalidArgument, 7163, "no such batch was applied");
  }
  DGFS_TRY(is_logged, log_.commit(sequence));
  if (!is_logged) return checkpoint();
  tables_.join();
  return ok();
}

// Large values die when others are logged, so the disk may have become short of space.
Status Store::commit_unasked(Worker& tending) {
  auto synced = sync();
  reserve_.look_at_disk();
  if (is_checkpoint_due()) tending.notify();
  return synced;
}

Status Store::maintain() { return maintenance_.move_tables(); }
Status Store::checkpoint() { return maintenance_.make_checkpoint(); }

Result<Message> Store::find(std::string_view key) const {
  DGFS_TRY(newest, tables_.find(key));
  return find_whole(*newest.view, key, std::move(newest.message), files_.source());
}

Result<std::optional<std::string>> Store::get(std::string_view key) const {
  DGFS_TRY(message, find(key));
  return value_over_nothing(std::move(message));
}

Result<std::optional<ValueSlice>> Store::read(std::string_view key, std::uint64_t begin_bytes,
                                              std::uint64_t length_bytes) const {
  DGFS_TRY(newest, tables_.find(key));
  return delta::read(*newest.view, key, std::move(newest.message), begin_bytes, length_bytes,
                     files_.source());
}

Snapshot Store::snapshot(std::string holder) const {
  auto hold = holders_.add(std::move(holder), env_.monotonic_ns());
  return {tables_.snapshot(), files_.source(), std::move(hold), options_.parameters.born_object,
          &filter_};
}

Cursor Store::cursor(KeyRange bounds) const {
  return {tables_.snapshot(), files_.source(), std::move(bounds)};
}

MessageCursor Store::message_cursor(KeyRange bounds) const {
  return {tables_.snapshot(), files_.source(), std::move(bounds)};
}

StoreCounters Store::counters() const {
  const auto progress = log_.progress();
  const auto counts = maintenance_.counts();
  return {progress.written_bytes, counts.block_bytes, progress.value_bytes, files_.moved_bytes(),
          counts.checkpoints,     tables_.frozen(),   files_.used_bytes(),  counts.held_bytes,
          holders_.count(),       recovered_,         waits_.log_ns,        waits_.tree_ns,
          waits_.space_ns};
}

std::uint64_t Store::layer_bytes() const {
  const auto counts = maintenance_.counts();
  const auto pending = counts.held_bytes + counts.waiting_bytes + files_.values.dropped_bytes();
  const auto used = files_.used_bytes();
  // The next checkpoint writes the filter as it is in memory.
  return 2 * kSuperblockBytes + used - std::min(pending + counts.filter_bytes, used) +
         filter_.size_bytes() + tables_.backlog().tree_bytes;
}

StoreSpace Store::space() {
  reserve_.look_at_disk();
  StoreSpace space;
  const auto taken = files_.blocks.used_bytes() + files_.values.file().used_bytes();
  const auto counts = maintenance_.counts();
  const auto pending = counts.held_bytes + counts.waiting_bytes + files_.values.dropped_bytes();
  space.pending_bytes = std::min(pending, taken);
  space.used_bytes = taken - space.pending_bytes + fixed_bytes(options_.parameters);
  const auto available = reserve_.available_bytes();
  space.free_bytes = reserve_.is_there() ? std::min(reserve_.writable_bytes(), available) : 0;
  space.reserved_bytes = available - space.free_bytes;
  space.max_bytes = files_.cap.bytes_max();
  space.held_bytes = std::min(counts.held_bytes, space.pending_bytes);
  return space;
}

}  // namespace dgfs::delta
