// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/links.h"

#include <utility>

#include "reader/extract/existing.h"
#include "reader/extract/paths.h"

namespace dgfs::reader {

namespace {

// The error means that the file system allows no further hard link to the object, and not that this
// name failed.
bool is_no_more_linked(const Error& error) {
  return error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kUnsupported ||
         error.kind() == ErrorKind::kPermission;
}

}  // namespace

// The loop ends: each turn retires a path that another call has put into the table, and there are
// at most as many as names.
Status LinkTable::make(const Node& node, storage::Directory& directory, const std::string& path,
                       std::string_view name, const std::function<Status()>& make_object) {
  // claim() gives the error of a refused link, because the thread that makes the copy may be
  // another one.
  std::optional<Error> refused;
  while (const auto existing = claim(node, refused)) {
    auto linked = link(*existing, directory, name);
    if (linked || !is_no_more_linked(linked.assume_error())) {
      settle(node.inode, nullptr);
      return linked;
    }
    retire(node.inode, *existing, linked.assume_error());
  }
  DGFS_CHECK(make_anew(node, path, make_object));
  if (refused && copied_) copied_(path, *refused);
  return ok();
}

Status LinkTable::make_anew(const Node& node, const std::string& path,
                            const std::function<Status()>& make_object) {
  // Settles in any case, also after an exception, and without an allocation, because other threads
  // may wait.
  struct Making {
    LinkTable& table;
    InodeNumber inode;
    std::string made_at;
    ~Making() { table.settle(inode, &made_at); }
  } making{*this, node.inode, {}};
  auto made_at = path;
  auto made = make_object();
  if (made) making.made_at = std::move(made_at);
  return made;
}

// Forgets the path of an object that takes no more links, unless another thread has set a new path
// meanwhile.
void LinkTable::retire(InodeNumber inode, const std::string& full, const Error& why) {
  const std::lock_guard lock(mutex_);
  const auto there = records_.find(inode);
  if (there == records_.end() || there->second.path != full) return;
  there->second.path.clear();
  there->second.refused = why;
}

std::optional<std::string> LinkTable::claim(const Node& node, std::optional<Error>& refused) {
  std::unique_lock lock(mutex_);
  while (true) {
    // Looked up in each turn: if the image has a wrong number of names, the record may be gone
    // after the wait.
    auto& record =
        records_.try_emplace(node.inode, Record{{}, false, node.link_count, {}}).first->second;
    if (!record.path.empty()) return record.path;
    if (!record.in_making) {
      record.in_making = true;
      refused = record.refused;
      return std::nullopt;
    }
    settled_.wait(lock);
  }
}

// `made_at`: path of the new object, empty if it could not be made; null after a hard link.
void LinkTable::settle(InodeNumber inode, std::string* made_at) noexcept {
  const std::lock_guard lock(mutex_);
  const auto there = records_.find(inode);
  if (there == records_.end()) return;
  auto& record = there->second;
  if (made_at != nullptr) {
    record.path = std::move(*made_at);
    record.in_making = false;
    if (!record.path.empty()) record.refused.reset();
    settled_.notify_all();
  }
  if (record.unseen <= 1 && !record.in_making) {
    records_.erase(there);
  } else {
    --record.unseen;
  }
}

std::size_t LinkTable::size() const {
  const std::lock_guard lock(mutex_);
  return records_.size();
}

Status LinkTable::link(const std::string& existing, storage::Directory& directory,
                       std::string_view name) {
  const auto existing_directory = [&] {
    const std::lock_guard lock(stack_mutex_);
    return stack_.open(parent_of(existing));
  }();
  if (!existing_directory) return existing_directory.assume_error();
  return make_over(existing_, directory, name, [&] {
    return directory.make_link(*existing_directory.assume_value(), name_of(existing), name);
  });
}

}  // namespace dgfs::reader
