// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/store.h"

#include <chrono>
#include <thread>
#include <utility>

namespace dgfs::delta {
namespace {

// How many times the bytes of the tables large values may take between two checkpoints.
constexpr std::uint64_t kValueShare = 8;
// Checkpoints that one batch may ask for to find space. Each one makes the files shorter.
constexpr int kCleaningsMax = 16;
// What a crash may cost those who do not sync.
constexpr std::chrono::milliseconds kCommitInterval{1000};

StoreOptions with_parameters(StoreOptions options, const StoreParameters& parameters) {
  options.parameters = parameters;
  return options;
}

StoredNode stored_root(const Place& root) {
  return std::make_shared<const Stored<Node>>(root, static_cast<std::size_t>(root.length_bytes));
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(storage::Env& env, const std::string& directory,
                                           const StoreOptions& options) {
  DGFS_TRY(files, open_store_files(env, directory, options));
  const auto superblock = files.superblock;
  std::unique_ptr<Store> store(
      new Store(env, std::move(files), with_parameters(options, superblock.parameters)));
  if (options.access == StoreAccess::kReadOnly) {
    DGFS_CHECK(store->log_.replay(superblock.log));  // into memory
    static_cast<void>(store->failure_.note(
        Error(ErrorKind::kPermission, 7132, "the store is open for reading alone")
            .in_file(directory)));
  } else {
    DGFS_CHECK(store->maintenance_.recover());
  }
  return store;
}

Store::Store(storage::Env& env, StoreFiles files, const StoreOptions& options)
    : env_(env),
      options_(options),
      superblocks_(std::move(files.superblocks)),
      files_(std::move(files.blocks), std::move(files.extents), options.cache_bytes),
      tables_(failure_, stored_root(files.superblock.root), files.superblock.sequence),
      log_(std::move(files.log), tables_, files_.values, failure_, files.superblock.sequence),
      reserve_(files_, options),
      maintenance_({files_, tables_, reserve_, log_, failure_}, *superblocks_, files.superblock,
                   options) {}

Status Store::start() {
  if (!options_.in_background || only_reads() || tending_ != nullptr) return ok();
  auto tending = std::make_unique<Worker>([this] { return tend(); });
  auto commits = std::make_unique<Worker>([this] { return sync(); }, kCommitInterval);
  DGFS_CHECK(tending->start());
  DGFS_CHECK(commits->start());
  tending_ = std::move(tending);
  commits_ = std::move(commits);
  return ok();
}

Status Store::apply(const Batch& batch) {
  return failure_.whole_or_torn([&] { return add(batch); });
}

Status Store::add(const Batch& batch) {
  DGFS_CHECK(failure_.check());
  DGFS_CHECK(check_batch(batch));
  const auto size = size_of(batch, options_.parameters.inline_bytes);
  if (size.table_bytes > options_.parameters.segment_bytes / kGroupShare) {
    return Error(ErrorKind::kLimit, 7072, "a batch is too large for the log");
  }
  DGFS_CHECK(admit(batch, size));
  auto made = make_room(size);
  auto has_frozen = made ? take_in(batch, size) : Result<bool>(std::move(made).error());
  if (!has_frozen) {
    reserve_.release(size.value_bytes);
    return std::move(has_frozen).error();
  }
  if (has_frozen.value()) join_tables_soon();
  if (tending_ != nullptr) pace(size);
  return ok();
}

// Whether it has frozen a table.
Result<bool> Store::take_in(const Batch& batch, const BatchSize& size) {
  if (size.value_bytes == 0) return tables_.take_in(batch, 0);
  return tables_.take_in(with_large_values(batch, options_.parameters.inline_bytes, files_.values),
                         size.value_bytes);
}

// Where there is no space for a batch, there may be some again, or what has been removed makes
// some.
Status Store::admit(const Batch& batch, const BatchSize& size) {
  const auto promise = [&] { return reserve_.promise(size.value_bytes, removes_only(batch)); };
  if (promise()) return ok();
  DGFS_CHECK(maintenance_.find_space());
  for (int cleanings = 0; cleanings < kCleaningsMax; ++cleanings) {
    if (promise()) return ok();
    DGFS_TRY(is_shorter, maintenance_.clean_for_space());
    if (!is_shorter) break;
  }
  return promise();
}

// Refuses a batch before any part of it is taken in.
Status Store::make_room(const BatchSize& batch) {
  const auto backlog = tables_.backlog();
  const auto unbound_bytes = files_.values.promised_bytes();  // with those of the batch
  const bool is_due = is_checkpoint_due();
  const auto is_filled = [&](std::uint64_t share) {
    return (backlog.group_bytes + batch.table_bytes) * share >
               options_.parameters.segment_bytes / kGroupShare ||
           (unbound_bytes > batch.value_bytes && unbound_bytes * share > options_.table_bytes);
  };
  if (is_filled(1)) {
    DGFS_CHECK(sync());
  } else if (commits_ != nullptr && is_filled(2)) {
    commits_->notify();
  }
  return make_room_below(is_due, backlog.tree_bytes);
}

// A thread that maintains has the time in which as much again is written.
Status Store::make_room_below(bool is_checkpoint_due, std::size_t waiting_bytes) {
  if (!is_checkpoint_due && waiting_bytes <= options_.table_bytes) return ok();
  if (tending_ != nullptr) tending_->notify();
  // A segment that is full is found out by sync().
  if (tending_ == nullptr) return is_checkpoint_due ? checkpoint() : maintain();
  const auto waiting_bytes_max = kPatience * options_.table_bytes;
  return waiting_bytes <= waiting_bytes_max ? ok()
                                            : maintenance_.move_tables_above(waiting_bytes_max);
}

// Half a segment is full, or what large values have died of may take much of the disk: their space
// is free after a checkpoint only.
bool Store::is_checkpoint_due() const {
  const auto progress = log_.progress();
  return progress.used_bytes > options_.parameters.segment_bytes / 2 ||
         progress.value_bytes_since_checkpoint > kValueShare * options_.table_bytes;
}

void Store::pace(const BatchSize& batch) {
  const auto backlog = tables_.backlog();
  const Pacer::Backlog log{log_.progress().used_bytes + backlog.group_bytes,
                           options_.parameters.segment_bytes};
  const Pacer::Backlog tables{backlog.tree_bytes, kPatience * options_.table_bytes};
  const auto& longer = log.share() > tables.share() ? log : tables;
  Pacer::Duration delay(0);
  {
    const std::lock_guard lock(pace_lock_);
    delay = pacer_.delay(batch.table_bytes, longer, now());
  }
  if (delay.count() != 0) std::this_thread::sleep_for(delay);
}

// After a call that has frozen a table and is to be short. Where there is nobody else, or he does
// not keep up, it has to see to it.
void Store::join_tables_soon() {
  if (tending_ == nullptr || tables_.has_too_many()) {
    tables_.join();
  } else {
    tending_->notify();
  }
}

Status Store::tend() {
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

Status Store::sync() {
  return failure_.whole_or_torn([this] { return commit(); });
}

Status Store::commit() {
  DGFS_TRY(is_logged, log_.commit());
  if (!is_logged) return checkpoint();
  tables_.join();
  return ok();
}

Status Store::maintain() { return maintenance_.move_tables(); }
Status Store::checkpoint() { return maintenance_.make_checkpoint(); }

Status Store::close() {
  if (only_reads()) return ok();
  commits_.reset();
  tending_.reset();
  DGFS_CHECK(maintenance_.make_last_checkpoint());
  static_cast<void>(failure_.note(Error(ErrorKind::kInvalidArgument, 7131, "the store is closed")));
  return ok();
}

Result<Message> Store::find(std::string_view key) const {
  DGFS_TRY(newest, tables_.find(key));
  return find_whole(*newest.view, key, std::move(newest.message), files_.source());
}

Result<std::optional<std::string>> Store::get(std::string_view key) const {
  DGFS_TRY(message, find(key));
  return value_over_nothing(std::move(message));
}

Snapshot Store::snapshot(std::string holder) const {
  auto hold = holders_.add(std::move(holder), env_.monotonic_ns());
  return {tables_.snapshot(), files_.source(), std::move(hold)};
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
  return {progress.written_bytes, counts.block_bytes, progress.value_bytes,
          files_.moved_bytes(),   counts.checkpoints, tables_.frozen(),
          files_.used_bytes(),    counts.held_bytes,  holders_.count()};
}

}  // namespace dgfs::delta
