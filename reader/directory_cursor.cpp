// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/directory_cursor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "reader/index/namespace.h"

namespace dgfs::reader {

struct DirectoryCursor::State {
  const Namespace& names;
  format::ChildRange range;
  std::uint64_t position = 0;
  std::optional<EntryRange> entries;  ///< of the current page; nullopt: at no name
  std::optional<std::string> common;  ///< common beginning of the keys of all names
  std::string scratch;

  [[nodiscard]] std::size_t index() const {
    return entries->page->index_of(range.first + position);
  }
  [[nodiscard]] Status load() {
    entries.reset();
    if (position >= range.count) return ok();
    DGFS_TRY(loaded, names.names_from(range, position, common));
    entries = std::move(loaded);
    return ok();
  }
};

DirectoryCursor::DirectoryCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
DirectoryCursor::~DirectoryCursor() = default;
DirectoryCursor::DirectoryCursor(DirectoryCursor&& other) noexcept = default;
DirectoryCursor& DirectoryCursor::operator=(DirectoryCursor&& other) noexcept = default;

Result<DirectoryCursor> DirectoryCursor::make(const Namespace& names, InodeNumber directory) {
  DGFS_TRY(range, names.children(directory));
  return DirectoryCursor(std::make_unique<State>(State{names, range, 0, {}, {}, {}}));
}

std::uint64_t DirectoryCursor::count() const { return state_->range.count; }

Status DirectoryCursor::seek(std::string_view name) {
  state_->entries.reset();
  auto position = state_->names.position_of(state_->range, name);
  if (!position) {
    state_->position = state_->names.position_of_page(state_->range, name);
    return std::move(position).error();
  }
  return seek_to(position.value());
}

Status DirectoryCursor::seek_to(std::uint64_t position) {
  state_->position = position;
  return state_->load();
}

Status DirectoryCursor::next() {
  ++state_->position;
  const bool is_loaded = state_->position < state_->range.count &&
                         state_->range.first + state_->position <
                             state_->entries->page->ordinal(state_->entries->end_index());
  return is_loaded ? ok() : state_->load();
}

std::uint64_t DirectoryCursor::behind_lost() const {
  return state_->names.position_behind_page(state_->range, state_->position);
}

bool DirectoryCursor::is_at_name() const { return state_->entries.has_value(); }

ListedName DirectoryCursor::name() const {
  const EntryRange& entries = *state_->entries;
  const auto index = state_->index();
  return {state_->position, entries.name(index, state_->scratch),
          state_->names.inode_of(*entries.page, index, entries.link_inode(index)),
          entries.mode(index)};
}

Result<Node> DirectoryCursor::node() const {
  const EntryRange& entries = *state_->entries;
  return state_->names.resolve({entries.page, entries.entry(state_->index())});
}

}  // namespace dgfs::reader
