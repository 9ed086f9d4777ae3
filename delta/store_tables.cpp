// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tables of a store that wait for the tree: frozen ones, and what they become together.
#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store.h"

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

void Store::freeze_table() {
  if (table_.empty()) return;
  group_.push_back(std::make_shared<const FrozenTable>(std::exchange(table_, {})));
  add_table(group_.back());
}

void Store::add_table(FrozenRef table) {
  TreeView view = *view_;
  view.tables.push_back(std::move(table));
  view_ = std::make_shared<const TreeView>(std::move(view));
}

// Tables of one group, or of one cursor, may be small. Where there are many, the newest become
// one, and as many before them as are not much larger than those behind; while nobody waits. Where
// the view has changed meanwhile, it is somebody else's turn.
void Store::join_tables() {
  std::vector<FrozenRef> tables;
  {
    const std::lock_guard lock(state_lock_);
    const auto& all = view_->tables;
    if (all.size() <= settled_tables_ + kLooseTablesMax) return;
    tables.assign(all.begin() + static_cast<std::ptrdiff_t>(settled_tables_), all.end());
  }
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
  const std::lock_guard lock(state_lock_);
  TreeView view = *view_;
  if (settled_tables_ + tables.size() > view.tables.size()) return;
  if (!replace_end(view.tables, tables, joined)) return;
  replace_end(group_, tables, joined);
  view_ = std::make_shared<const TreeView>(std::move(view));
}

// Null: there are none.
FrozenRef Store::join_settled_tables() {
  std::vector<RunRef> runs;
  std::shared_ptr<const TreeView> view;
  std::size_t count = 0;
  {
    const std::lock_guard lock(state_lock_);
    view = view_;
    count = settled_tables_;
  }
  if (count == 0) return nullptr;
  if (count == 1) return view->tables.front();
  for (std::size_t i = 0; i < count; ++i) runs.push_back(view->tables[i]->run());
  auto joined = std::make_shared<const FrozenTable>(merged(std::move(runs)));
  const std::lock_guard lock(state_lock_);
  TreeView after = *view_;
  after.tables.erase(after.tables.begin() + 1,
                     after.tables.begin() + static_cast<std::ptrdiff_t>(count));
  after.tables.front() = joined;
  view_ = std::make_shared<const TreeView>(std::move(after));
  settled_tables_ = 1;
  return joined;
}

}  // namespace dgfs::delta
