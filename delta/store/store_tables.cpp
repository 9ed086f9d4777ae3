// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tables of a store that wait for the tree: frozen ones, and what they become together.
#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store/run/run_merge.h"
#include "delta/store/run/run_parts.h"
#include "delta/store/store.h"

namespace dgfs::delta {
namespace {

// Tables that may lie on each other, each of which a lookup has to ask.
constexpr std::size_t kLooseTablesMax = 8;

// False, and nothing is changed, unless `all` ends with `tables`.
bool replace_end(std::vector<FrozenRef>& all, const std::vector<FrozenRef>& tables,
                 const FrozenRef& joined) {
  if (all.size() < tables.size()) return false;
  const auto begin = all.end() - static_cast<std::ptrdiff_t>(tables.size());
  if (!std::equal(begin, all.end(), tables.begin())) return false;
  *begin = joined;
  all.erase(begin + 1, all.end());
  return true;
}

}  // namespace

std::size_t Store::waiting_bytes() const {
  std::size_t bytes = table_.size_bytes();
  for (const FrozenRef& table : view_->tables) bytes += table->size_bytes();
  return bytes;
}

// All that needs memory comes first: the table is moved, or stays.
void Store::freeze_table() {
  if (table_.empty()) return;
  auto moved = std::make_shared<MemoryTable>();
  const auto frozen = std::make_shared<const FrozenTable>(moved, table_.size_bytes());
  group_.reserve(group_.size() + 1);
  add_table(frozen);
  group_.push_back(frozen);
  ++counters_.tables;
  *moved = std::exchange(table_, {});
}

void Store::add_table(FrozenRef table) {
  TreeView view = *view_;
  view.tables.push_back(std::move(table));
  view_ = std::make_shared<const TreeView>(std::move(view));
}

std::vector<FrozenRef> Store::loose_tables() const {
  const std::lock_guard lock(state_lock_);
  const auto& all = view_->tables;
  return {all.begin() + static_cast<std::ptrdiff_t>(settled_tables_), all.end()};
}

// Tables of one group, or of one cursor, may be small. Where there are many, the newest become
// one, and as many before them as are not much larger than those behind; while nobody waits. Where
// the view has changed meanwhile, it is somebody else's turn.
void Store::join_tables() {
  std::vector<FrozenRef> tables = loose_tables();
  if (tables.size() <= kLooseTablesMax) return;
  std::size_t bytes = tables.back()->size_bytes();
  auto first = tables.end() - 1;
  while (first != tables.begin() && (*std::prev(first))->size_bytes() <= 2 * bytes) {
    bytes += (*--first)->size_bytes();
  }
  tables.erase(tables.begin(), first);
  if (tables.size() < 2) return;
  std::vector<RunRef> runs;
  for (const FrozenRef& table : tables) runs.push_back(table->run());
  const auto joined = std::make_shared<const FrozenTable>(merged(std::move(runs)));
  std::shared_ptr<const TreeView> before;  // ends without the lock
  const std::lock_guard lock(state_lock_);
  TreeView view = *view_;
  if (settled_tables_ + tables.size() > view.tables.size()) return;
  if (!replace_end(view.tables, tables, joined)) return;
  before = std::exchange(view_, std::make_shared<const TreeView>(std::move(view)));
  replace_end(group_, tables, joined);
}

// After a call that has frozen a table and is to be short. Where there is nobody else, or he does
// not keep up, it has to see to it.
void Store::join_tables_soon() {
  if (maintenance_ == nullptr || loose_tables().size() > kPatience * kPatience * kLooseTablesMax) {
    join_tables();
  } else {
    maintenance_->notify();
  }
}

std::vector<FrozenRef> Store::settled_tables() const {
  const std::lock_guard lock(state_lock_);
  const auto begin = view_->tables.begin();
  return {begin, begin + static_cast<std::ptrdiff_t>(settled_tables_)};
}

// As one, so that a slot of the root gets one run of them; and that in slices of the key space,
// which go into the tree one after the other.
void Store::join_settled_tables() {
  const auto tables = settled_tables();
  if (tables.empty()) return;
  std::vector<RunRef> runs;
  for (const FrozenRef& table : tables) runs.push_back(table->run());
  const RunRef all = merged(std::move(runs));
  const auto slice_bytes = std::max<std::uint64_t>(options_.dirty_bytes / kSlicesMax,
                                                   all->size_bytes() / (kSlicesMax - 1) + 1);
  std::vector<FrozenRef> slices;
  for (auto& slice : cut(all, slice_bytes)) {
    slices.push_back(std::make_shared<const FrozenTable>(std::move(slice.run)));
  }
  replace_settled_tables(slices);
}

void Store::replace_settled_tables(const std::vector<FrozenRef>& tables) {
  std::shared_ptr<const TreeView> before;  // ends without the lock
  const std::lock_guard lock(state_lock_);
  TreeView after{view_->root, tables, view_->hold};
  after.tables.insert(after.tables.end(),
                      view_->tables.begin() + static_cast<std::ptrdiff_t>(settled_tables_),
                      view_->tables.end());
  before = std::exchange(view_, std::make_shared<const TreeView>(std::move(after)));
  settled_tables_ = tables.size();
}

}  // namespace dgfs::delta
