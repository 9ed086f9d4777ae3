// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/table_stack.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>

#include "delta/store/run/run_cuts.h"
#include "delta/store/run/run_merge.h"
#include "delta/store/run/run_parts.h"
#include "delta/store/store_options.h"

namespace dgfs::delta {
namespace {

// A batch that copies more bytes of values than this is applied without the lock of readers: to a
// copy of the table, with a copy of each value that it changes. Below this, copying a page and some
// fields costs less.
constexpr std::size_t kCopiedBytesMax = std::size_t{6} << 10;
// The most loose tables that may lie on each other; a lookup asks each of them.
constexpr std::size_t kLooseTablesMax = 8;

std::vector<RunRef> runs_of(const std::vector<MemtableRef>& tables) {
  std::vector<RunRef> runs;
  for (const MemtableRef& table : tables) runs.push_back(table->run());
  return runs;
}

RunRef merged_tables(const std::vector<MemtableRef>& tables) { return merged(runs_of(tables)); }

// Roughly `count` ranges of keys, of about equal size in each run.
std::vector<KeyRange> slice_ranges(const std::vector<RunRef>& runs, std::uint64_t count) {
  // A cut of the largest run cuts the others as well.
  const Run& largest =
      **std::ranges::max_element(runs, {}, [](const RunRef& run) { return run->size_bytes(); });
  std::vector<KeyRange> ranges{{"", std::nullopt}};
  for (RunCut& cut : cuts_of(largest, static_cast<std::size_t>(largest.size_bytes() / count))) {
    ranges.back().end = cut.low;
    ranges.push_back({std::move(cut.low), std::nullopt});
  }
  return ranges;
}

// False, and nothing has changed, unless `all` ends with `tables`.
bool replace_end(std::vector<MemtableRef>& all, const std::vector<MemtableRef>& tables,
                 const MemtableRef& joined) {
  if (all.size() < tables.size()) return false;
  const auto begin = all.end() - static_cast<std::ptrdiff_t>(tables.size());
  if (!std::equal(begin, all.end(), tables.begin())) return false;
  *begin = joined;
  all.erase(begin + 1, all.end());
  return true;
}

}  // namespace

TableStack::TableStack(Failure& failure, PrefixFilter& filter, StoredNode root,
                       std::uint64_t sequence)
    : failure_(failure),
      filter_(filter),
      view_(std::make_shared<const TreeView>(
          TreeView{std::move(root), {}, std::make_shared<const int>()})),
      sequence_(sequence) {}

Result<TableStack::TakenIn> TableStack::take_in(const Batch& batch, std::size_t value_bytes) {
  const std::lock_guard changing(changing_);
  Memtable apart;  // destroyed without the lock of readers
  bool is_apart = false;
  if (table_.copies_at_most(batch) > kCopiedBytesMax) {
    apart = table_;
    is_apart = apart.apply_unless_long(batch);
  }
  const std::lock_guard lock(mutex_);
  DGFS_CHECK(failure_.check());
  DGFS_CHECK(filter_.add(batch));  // before anything that would have to be undone
  bool has_frozen = false;
  if (is_apart) {
    std::swap(table_, apart);
  } else {
    has_frozen = apply(batch);
  }
  group_value_bytes_ += value_bytes;
  return TakenIn{++sequence_, has_frozen};
}

// Returns whether it has frozen a table.
bool TableStack::apply(const Batch& batch) {
  bool has_frozen = false;
  bool has_begun = false;
  try {
    for (const Operation& operation : batch.operations()) {
      // A long range delete goes into an empty table, so it takes no time here. The keys below it
      // are dropped when runs are merged, and no writer waits for that.
      if (table_.is_long(operation)) {
        freeze_table();
        has_frozen = true;
      }
      has_begun = true;
      table_.apply(operation);
    }
  } catch (...) {
    if (has_begun) failure_.note_torn();
    throw;
  }
  return has_frozen;
}

void TableStack::take_in_replayed(const RunRef& run, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  filter_.add(*run);
  add_table(std::make_shared<const ImmutableMemtable>(run));
  sequence_ = sequence;
}

Result<TableStack::Newest> TableStack::find(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  DGFS_CHECK(failure_.check_torn());
  const auto* message = table_.find(key);
  return Newest{message != nullptr ? *message : Message(), view_};
}

TreeView TableStack::snapshot() const {
  std::shared_ptr<const TreeView> view;
  Memtable table;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.check_torn()) throw std::bad_alloc();
    view = view_;
    table = table_;
  }
  TreeView all = *view;
  if (!table.empty()) {
    all.tables.push_back(std::make_shared<const ImmutableMemtable>(std::move(table)));
  }
  return all;
}

StoredNode TableStack::root() const {
  const std::lock_guard lock(mutex_);
  return view_->root;
}

TreeHold TableStack::hold() const {
  const std::lock_guard lock(mutex_);
  return view_->hold;
}

bool TableStack::is_view_kept() const {
  const std::lock_guard lock(mutex_);
  return view_->hold.use_count() > 1;
}

std::uint64_t TableStack::sequence() const {
  const std::lock_guard lock(mutex_);
  return sequence_;
}

TableStack::Backlog TableStack::backlog() const {
  const std::lock_guard lock(mutex_);
  Backlog backlog{table_.size_bytes(), table_.size_bytes(),
                  view_->tables.size() - settled_ > kPatience * kPatience * kLooseTablesMax};
  for (const MemtableRef& table : group_) backlog.group_bytes += table->size_bytes();
  for (const MemtableRef& table : view_->tables) backlog.tree_bytes += table->size_bytes();
  return backlog;
}

std::uint64_t TableStack::frozen() const {
  const std::lock_guard lock(mutex_);
  return frozen_;
}

// Everything that needs memory comes first, so the table is frozen or stays as it was.
void TableStack::freeze_table() {
  if (table_.empty()) return;
  const auto frozen = std::make_shared<const ImmutableMemtable>(table_);
  group_.reserve(group_.size() + 1);
  add_table(frozen);
  group_.push_back(frozen);
  ++frozen_;
  table_ = {};
}

void TableStack::add_table(MemtableRef table) {
  TreeView view = *view_;
  view.tables.push_back(std::move(table));
  view_ = std::make_shared<const TreeView>(std::move(view));
}

TableGroup TableStack::group_taken() {
  freeze_table();
  return {std::exchange(group_, {}), sequence_, std::exchange(group_value_bytes_, 0)};
}

Result<TableGroup> TableStack::take_group() {
  const std::lock_guard changing(changing_);
  const std::lock_guard lock(mutex_);
  DGFS_CHECK(failure_.check());
  return group_taken();
}

Result<TableGroup> TableStack::take_group_and_settle() {
  const std::lock_guard changing(changing_);
  const std::lock_guard lock(mutex_);
  DGFS_CHECK(failure_.check());
  auto group = group_taken();
  settled_ = view_->tables.size();
  return group;
}

Status TableStack::settle() {
  const std::lock_guard changing(changing_);
  const std::lock_guard lock(mutex_);
  DGFS_CHECK(failure_.check());
  freeze_table();
  settled_ = view_->tables.size();
  return ok();
}

void TableStack::unsettle() {
  const std::lock_guard lock(mutex_);
  settled_ = 0;
}

std::vector<MemtableRef> TableStack::settled() const {
  const std::lock_guard lock(mutex_);
  const auto begin = view_->tables.begin();
  return {begin, begin + static_cast<std::ptrdiff_t>(settled_)};
}

// Merges slice by slice, so that the content of the tables is in memory twice and not three times.
void TableStack::slice_settled(std::uint64_t bytes) {
  const auto runs = runs_of(settled());
  std::uint64_t all_bytes = 0;
  for (const RunRef& run : runs) all_bytes += run->size_bytes();
  if (all_bytes == 0) return;
  const auto slice_bytes =
      std::max<std::uint64_t>(bytes / kSlicesMax, all_bytes / (kSlicesMax - 1) + 1);
  std::vector<MemtableRef> slices;
  for (const KeyRange& range : slice_ranges(runs, (all_bytes + slice_bytes - 1) / slice_bytes)) {
    std::vector<RunRef> parts;
    for (const RunRef& run : runs) parts.push_back(clipped(run, range));
    // Other tables may have most of their keys in this range.
    for (auto& slice : cut(merged(std::move(parts)), 2 * slice_bytes)) {
      if (slice.run->empty()) continue;
      slices.push_back(std::make_shared<const ImmutableMemtable>(std::move(slice.run)));
    }
  }
  replace_settled(slices);
}

void TableStack::replace_settled(const std::vector<MemtableRef>& tables) {
  std::shared_ptr<const TreeView> before;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  TreeView after{view_->root, tables, view_->hold};
  after.tables.insert(after.tables.end(),
                      view_->tables.begin() + static_cast<std::ptrdiff_t>(settled_),
                      view_->tables.end());
  before = std::exchange(view_, std::make_shared<const TreeView>(std::move(after)));
  settled_ = tables.size();
}

void TableStack::replace_tree(StoredNode root, std::size_t tables) {
  // Destroyed without the lock, with everything that only it referred to.
  std::shared_ptr<const TreeView> before;
  const auto hold = std::make_shared<const int>();
  const std::lock_guard lock(mutex_);
  const auto first = view_->tables.begin() + static_cast<std::ptrdiff_t>(tables);
  TreeView after{std::move(root), {first, view_->tables.end()}, hold};
  before = std::exchange(view_, std::make_shared<const TreeView>(std::move(after)));
  settled_ -= tables;
}

std::vector<MemtableRef> TableStack::loose() const {
  const std::lock_guard lock(mutex_);
  const auto& all = view_->tables;
  return {all.begin() + static_cast<std::ptrdiff_t>(settled_), all.end()};
}

void TableStack::join() {
  try {
    join_loose();
  } catch (const std::bad_alloc&) {  // tables are joined when there is memory again
  }
}

// Tables of one group, or of one cursor, may be small.
void TableStack::join_loose() {
  std::vector<MemtableRef> tables = loose();
  if (tables.size() <= kLooseTablesMax) return;
  std::size_t bytes = tables.back()->size_bytes();
  auto first = tables.end() - 1;
  while (first != tables.begin() && (*std::prev(first))->size_bytes() <= 2 * bytes) {
    bytes += (*--first)->size_bytes();
  }
  tables.erase(tables.begin(), first);
  if (tables.size() < 2) return;
  replace_loose(tables, std::make_shared<const ImmutableMemtable>(merged_tables(tables)));
}

void TableStack::replace_loose(const std::vector<MemtableRef>& tables, const MemtableRef& joined) {
  std::shared_ptr<const TreeView> before;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  TreeView view = *view_;
  if (settled_ + tables.size() > view.tables.size()) return;
  if (!replace_end(view.tables, tables, joined)) return;
  before = std::exchange(view_, std::make_shared<const TreeView>(std::move(view)));
  replace_end(group_, tables, joined);
}

}  // namespace dgfs::delta
