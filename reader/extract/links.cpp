// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/links.h"

#include <utility>

#include "reader/extract/paths.h"

namespace dgfs::reader {

namespace {

// Not a failure of this name: no further one of the object can be made.
bool is_no_more_linked(const Error& error) {
  return error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kUnsupported ||
         error.kind() == ErrorKind::kPermission;
}

}  // namespace

// Each turn of the loop takes a place from the table that another call has put there, of which
// there are no more than names.
Status LinkTable::make(const Node& node, storage::Directory& directory, const std::string& path,
                       std::string_view name, const std::function<Status()>& make_object) {
  // Another thread than the one that was refused may make the copy.
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
  // Settles in any case, and without needing memory: others may be waiting.
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

// Unless another thread has put a new place there meanwhile.
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
    // Looked up each time: the record may have gone while this thread was waiting, if the image
    // lies about the number of names.
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

// `made_at`: where the object is now, empty if it could not be made; null after a link to it.
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
  return directory.make_link(*existing_directory.assume_value(), name_of(existing), name);
}

}  // namespace dgfs::reader
