// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/store.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "delta/store/run/run_builder.h"

namespace dgfs::delta {
namespace {

// A group is at most this part of a segment, and a batch this part of a group.
constexpr std::uint64_t kGroupShare = 4;
// How many times the bytes of the tables large values may take between two checkpoints.
constexpr std::uint64_t kValueShare = 8;
// Checkpoints that one batch may ask for to find space, each of which makes the files shorter.
constexpr int kCleaningsMax = 16;
// Large values that are kept may take this part of what blocks may: little, as the page cache has
// them, too.
constexpr std::size_t kKeptShare = 8;

Status check_key(const std::string& key) {
  if (key.size() <= kKeyBytesMax) return ok();
  return Error(ErrorKind::kLimit, 7070, "a key is too long");
}

Status check(const PointChange& change) {
  DGFS_CHECK(check_key(change.key));
  std::uint64_t bytes = change.message.value ? change.message.value->size() : 0;
  for (const Edit& edit : change.message.patch.edits()) {
    if (begin_of(edit) > kValueBytesMax) bytes = kValueBytesMax + 1;
    bytes = std::max(bytes, end_of(edit));
  }
  if (bytes <= kValueBytesMax) return ok();
  return Error(ErrorKind::kLimit, 7071, "a value is too long");
}

Status check(const RangeDelete& removal) {
  DGFS_CHECK(check_key(removal.range.begin));
  return removal.range.end ? check_key(*removal.range.end) : Status(ok());
}

// What removes makes space, some day, and is small.
bool removes_only(const Batch& batch) {
  return std::ranges::all_of(batch.operations(), [](const Operation& operation) {
    const auto* change = std::get_if<PointChange>(&operation);
    return change == nullptr || change->message.kind == MessageKind::kDelete;
  });
}

}  // namespace

Store::Store(storage::Env& env, Files files, const Superblock& superblock,
             const StoreOptions& options)
    : env_(env),
      options_(options),
      parameters_(superblock.parameters),
      superblocks_(std::move(files.superblocks)),
      cache_(options.cache_bytes),
      extents_(std::move(files.extents), options.cache_bytes / kKeptShare),
      superblock_(superblock),
      blocks_(std::move(files.blocks)),
      packer_(options.level),
      editor_(source(), extents_, superblock.parameters),
      log_(std::move(files.log)),
      unlogged_(empty_run()),
      applied_(superblock.sequence),
      in_tree_(superblock.sequence),
      durable_(superblock.sequence),
      out_of_memory_(ErrorKind::kLimit, 7094, "an earlier call ran out of memory") {
  auto root = std::make_shared<const Stored<Node>>(
      superblock.root, static_cast<std::size_t>(superblock.root.length_bytes));
  view_ = std::make_shared<const TreeView>(
      TreeView{std::move(root), {}, std::make_shared<const int>()});
}

Status Store::check_batch(const Batch& batch) const {
  for (const Operation& operation : batch.operations()) {
    DGFS_CHECK(std::visit([](const auto& each) { return check(each); }, operation));
  }
  return ok();
}

bool Store::is_large(const Message& message) const {
  return message.value && message.value->size() > parameters_.inline_bytes;
}

Store::BatchSize Store::size_of(const Batch& batch) const {
  BatchSize size;
  for (const Operation& operation : batch.operations()) {
    const auto* change = std::get_if<PointChange>(&operation);
    size.table_bytes += MemoryTable::bytes_of(operation);
    if (change == nullptr || !is_large(change->message)) continue;
    size.table_bytes -= change->message.value->size();
    size.value_bytes += padded_bytes(change->message.value->size());
  }
  return size;
}

// The table and the run of the group share a large value, so that it is bound for both at once.
Batch Store::with_large_values(const Batch& batch) {
  Batch all;
  for (const Operation& operation : batch.operations()) {
    const auto* change = std::get_if<PointChange>(&operation);
    if (change == nullptr || !is_large(change->message)) {
      all.add(operation);
      continue;
    }
    auto large = std::make_shared<const LargeValue>(change->message.value, extents_);
    all.add(PointChange{change->key, Message::put(std::move(large))});
  }
  return all;
}

void Store::note_torn() noexcept {
  const std::lock_guard lock(state_lock_);
  mark_torn();
}

void Store::mark_torn() noexcept {
  if (!is_torn_ && !failure_) failure_ = std::move(out_of_memory_);
  is_torn_ = true;
}

Status Store::apply(const Batch& batch) {
  return whole_or_never_again([&] { return add(batch); });
}

Status Store::add(const Batch& batch) {
  DGFS_CHECK(check_batch(batch));
  const auto size = size_of(batch);
  if (size.table_bytes > parameters_.segment_bytes / kGroupShare) {
    return Error(ErrorKind::kLimit, 7072, "a batch is too large for the log");
  }
  DGFS_CHECK(admit(batch, size));
  auto made = make_room(size);
  auto has_frozen = made ? take_in(size.value_bytes > 0 ? with_large_values(batch) : batch, size)
                         : Result<bool>(std::move(made).error());
  if (!has_frozen) {
    extents_.release(size.value_bytes);
    return std::move(has_frozen).error();
  }
  if (has_frozen.value()) join_tables_soon();
  if (maintenance_ != nullptr) pace(size);
  return ok();
}

// Where there is no space for a batch, there may be some again, or what has been removed makes
// some.
Status Store::admit(const Batch& batch, const BatchSize& size) {
  if (promise_space(batch, size)) return ok();
  DGFS_CHECK(find_space());
  for (int cleanings = 0; cleanings < kCleaningsMax; ++cleanings) {
    if (promise_space(batch, size)) return ok();
    DGFS_TRY(is_shorter, clean_for_space());
    if (!is_shorter) break;
  }
  return promise_space(batch, size);
}

Status Store::promise_space(const Batch& batch, const BatchSize& size) {
  {
    const std::lock_guard lock(state_lock_);
    if (refusal_ && !removes_only(batch)) return *refusal_;
  }
  return size.value_bytes == 0 ? ok() : extents_.promise(size.value_bytes);
}

// Whether it has frozen the table.
Result<bool> Store::take_in(const Batch& batch, const BatchSize& size) {
  const std::lock_guard lock(state_lock_);
  if (failure_) return *failure_;
  bool has_frozen = false;
  try {
    for (const Operation& operation : batch.operations()) {
      // However much it covers, it goes into a table that has nothing: what is below dies when runs
      // are merged, and nobody waits for that here.
      if (table_.is_long(operation)) {
        freeze_table();
        has_frozen = true;
      }
      table_.apply(operation);
    }
  } catch (...) {
    mark_torn();  // before anybody sees half a batch
    throw;
  }
  group_value_bytes_ += size.value_bytes;
  ++applied_;
  return has_frozen;
}

// Before anything is taken in: what is refused has not happened.
Status Store::make_room(const BatchSize& batch) {
  std::size_t group_bytes = 0;
  const std::uint64_t unbound_bytes = extents_.promised_bytes();  // with those of the batch
  std::size_t waiting_bytes = 0;
  bool is_due = false;
  {
    const std::lock_guard lock(state_lock_);
    is_due = is_checkpoint_due();
    group_bytes = this->group_bytes();
    waiting_bytes = this->waiting_bytes();
  }
  const auto fill = [&](std::size_t share) {
    return (group_bytes + batch.table_bytes) * share > parameters_.segment_bytes / kGroupShare ||
           (unbound_bytes > batch.value_bytes && unbound_bytes * share > options_.table_bytes);
  };
  if (fill(1)) {
    DGFS_CHECK(sync());
  } else if (commits_ != nullptr && fill(2)) {
    commits_->notify();
  }
  return make_room_below(is_due, waiting_bytes);
}

// Half a segment is full, or what large values have died of may take much of the disk: their space
// is free after a checkpoint only.
bool Store::is_checkpoint_due() const {
  return log_bytes_ > parameters_.segment_bytes / 2 ||
         counters_.value_bytes - value_bytes_at_checkpoint_ > kValueShare * options_.table_bytes;
}

// A thread that maintains has the time in which as much again is written.
Status Store::make_room_below(bool is_checkpoint_due, std::size_t waiting_bytes) {
  if (!is_checkpoint_due && waiting_bytes <= options_.table_bytes) return ok();
  if (maintenance_ != nullptr) maintenance_->notify();
  // A segment that is full is found out by sync().
  if (maintenance_ == nullptr) return is_checkpoint_due ? checkpoint() : maintain();
  if (waiting_bytes <= kPatience * options_.table_bytes) return ok();
  return work(&Store::move_tables_if_many);
}

void Store::pace(const BatchSize& batch) {
  Pacer::Duration delay(0);
  {
    const std::lock_guard lock(state_lock_);
    const Pacer::Backlog log{log_bytes_ + group_bytes(), parameters_.segment_bytes};
    const Pacer::Backlog tables{waiting_bytes(), kPatience * options_.table_bytes};
    delay = pacer_.delay(batch.table_bytes, log.share() > tables.share() ? log : tables, now());
  }
  if (delay.count() != 0) std::this_thread::sleep_for(delay);
}

Result<Message> Store::find(std::string_view key) const {
  Message newest;
  std::shared_ptr<const TreeView> view;
  {
    const std::lock_guard lock(state_lock_);
    if (is_torn_) return *failure_;
    if (const auto* message = table_.find(key)) newest = *message;
    view = view_;
  }
  DGFS_TRY(message, delta::find(*view, key, std::move(newest), source()));
  if (!message.large) return message;
  // The view is held until here: it keeps the space of what it refers to.
  DGFS_TRY(value, value_of(message, extents_));
  return Message{MessageKind::kPut, std::move(value), nullptr, {}};
}

Result<std::optional<std::string>> Store::get(std::string_view key) const {
  DGFS_TRY(message, find(key));
  if (!message.patch.empty()) message = over_nothing(std::move(message));
  if (message.kind != MessageKind::kPut) return std::optional<std::string>();
  return std::optional(*message.value);
}

Cursor Store::cursor(KeyRange bounds) {
  return whole_or_never_again([&]() -> Cursor {
    TreeView view;
    {
      const std::lock_guard lock(state_lock_);
      if (is_torn_) throw std::bad_alloc();
      freeze_table();
      view = *view_;
    }
    join_tables();
    return {std::move(view), source(), std::move(bounds)};
  });
}

Error Store::fail(Error error) {
  const std::lock_guard lock(state_lock_);
  if (!failure_) failure_ = error;
  return *failure_;
}

StoreCounters Store::counters() const {
  const std::lock_guard lock(state_lock_);
  return counters_;
}

}  // namespace dgfs::delta
