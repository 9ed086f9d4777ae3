// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/tree.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "storage/env.h"
#include "storage/file_mode.h"
#include "storage/names.h"

namespace dgfs::storage {
namespace {

// 2000-01-01 00:00:00 UTC.
constexpr std::int64_t kStartSeconds = 946'684'800;

bool contains(const MemoryInode& tree, const MemoryInode& wanted) {
  if (&tree == &wanted) return true;
  return std::any_of(tree.entries.begin(), tree.entries.end(), [&](const auto& entry) {
    return entry.second->is_directory() && contains(*entry.second, wanted);
  });
}

// Pages that an inode takes: the reserved ones, and those written beside them.
std::uint64_t pages_taken(const MemoryInode& inode) {
  return inode.reserved.count() + inode.content.pages_beside(inode.reserved);
}

constexpr int kLinksMax = 40;  // as Linux

// Puts the components of `path` on top of `todo`, the first one topmost.
void push_components(std::string_view path, std::vector<std::string>& todo) {
  const auto old_size = static_cast<std::ptrdiff_t>(todo.size());
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    if (slash > 0 && path.substr(0, slash) != ".") todo.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  std::reverse(todo.begin() + old_size, todo.end());
}

// Without the entries.
MemoryInodePtr durable_copy(const MemoryInode& inode) {
  auto copy = std::make_shared<MemoryInode>();
  copy->status = inode.status;
  copy->xattrs = inode.xattrs;
  copy->link_target = inode.link_target;
  copy->content = copy->durable_content = inode.content;
  copy->reserved = inode.reserved;
  return copy;
}

}  // namespace

MemoryTree::MemoryTree() : now{kStartSeconds, 0} {
  root_ = make_inode(kTypeDirectory | 0755);
  root_->status.link_count = 1;
}

MemoryInodePtr MemoryTree::make_inode(std::uint32_t mode) {
  auto inode = std::make_shared<MemoryInode>();
  inode->status.device = 1;
  inode->status.inode = next_inode_++;
  inode->status.mode = mode;
  inode->status.access_time = inode->status.modify_time = inode->status.change_time = now;
  return inode;
}

Status MemoryTree::add(MemoryInode& directory, std::string_view name, const MemoryInodePtr& inode,
                       const std::string& path) {
  if (directory.status.link_count == 0) {
    return Error(ErrorKind::kNotFound, 1103, "the directory has been removed").in_file(path);
  }
  if (directory.entries.count(name) != 0) {
    return Error(ErrorKind::kExists, 1104, "exists already").in_file(path);
  }
  set_entry(directory, name, inode, next_change_id_++);
  return ok();
}

Status MemoryTree::remove(MemoryInode& directory, std::string_view name, const std::string& path) {
  DGFS_TRY(inode, find(directory, name, path));
  if (!inode->entries.empty()) {
    return Error(ErrorKind::kIo, 1105, "the directory is not empty").in_file(path);
  }
  set_entry(directory, name, nullptr, next_change_id_++);
  return ok();
}

Status MemoryTree::rename(MemoryInode& from, std::string_view from_name, MemoryInode& to,
                          std::string_view to_name, const std::string& path) {
  DGFS_TRY(inode, find(from, from_name, path));
  const auto there = to.entries.find(to_name);
  if (there != to.entries.end() && there->second == inode) return ok();
  if (inode->is_directory() && contains(*inode, to)) {
    return Error(ErrorKind::kIo, 1106, "cannot move a directory into itself").in_file(path);
  }
  DGFS_CHECK(check_replaceable(to, to_name, *inode, path));
  const std::uint64_t change_id = next_change_id_++;
  set_entry(to, to_name, inode, change_id);
  set_entry(from, from_name, nullptr, change_id);
  return ok();
}

Status MemoryTree::replace(MemoryInode& directory, std::string_view name,
                           const MemoryInodePtr& inode, const std::string& path) {
  DGFS_CHECK(check_replaceable(directory, name, *inode, path));
  set_entry(directory, name, inode, next_change_id_++);
  return ok();
}

Status MemoryTree::check_replaceable(const MemoryInode& directory, std::string_view name,
                                     const MemoryInode& by, const std::string& path) const {
  if (directory.status.link_count == 0) {
    return Error(ErrorKind::kNotFound, 1107, "the directory has been removed").in_file(path);
  }
  const auto there = directory.entries.find(name);
  if (there == directory.entries.end()) return ok();
  if (there->second->is_directory() && !by.is_directory()) {
    return Error(ErrorKind::kIsDirectory, 1108, "a directory is in the way").in_file(path);
  }
  if (!there->second->is_directory() && by.is_directory()) {
    return Error(ErrorKind::kNotDirectory, 1109, "no directory to replace").in_file(path);
  }
  if (!there->second->entries.empty()) {
    return Error(ErrorKind::kIo, 1110, "the directory to replace is not empty").in_file(path);
  }
  return ok();
}

// All allocations come first: without memory, nothing has changed.
void MemoryTree::set_entry(MemoryInode& directory, std::string_view name,
                           const MemoryInodePtr& inode, std::uint64_t change_id) {
  MemoryEntries added;
  if (inode) added.emplace(name, inode);
  directory.name_changes.push_back({change_id, std::string(name), inode});
  const auto there = directory.entries.find(name);
  if (there != directory.entries.end()) {
    MemoryInode& old = *there->second;
    --old.status.link_count;
    old.status.change_time = now;
    release_if_gone(old);
    directory.entries.erase(there);
  }
  if (inode) {
    ++inode->status.link_count;
    inode->status.change_time = now;
    directory.entries.merge(added);
  }
  directory.status.modify_time = directory.status.change_time = now;
}

std::uint64_t MemoryTree::free_bytes() const {
  const std::uint64_t pages = capacity_bytes / MemoryContent::kPageBytes;
  return (pages - std::min(pages, charged_pages_)) * MemoryContent::kPageBytes;
}

Status MemoryTree::charge(MemoryInode& inode, std::uint64_t pages, const std::string& path) {
  if (pages > free_bytes() / MemoryContent::kPageBytes) {
    return Error(ErrorKind::kNoSpace, 1111, "no space left").in_file(path);
  }
  charged_pages_ += pages;
  inode.charged_pages += pages;
  return ok();
}

void MemoryTree::release_if_gone(MemoryInode& inode) {
  if (inode.status.link_count > 0 || inode.open_count > 0) return;
  charged_pages_ -= inode.charged_pages;
  inode.charged_pages = 0;
}

Status MemoryTree::write(MemoryInode& inode, std::uint64_t offset_bytes, Bytes data,
                         const std::string& path) {
  constexpr std::uint64_t kFileSizeMax = ~std::uint64_t{0} >> 1;  // as Linux: sizes are signed
  if (data.size() > kFileSizeMax || offset_bytes > kFileSizeMax - data.size()) {
    return Error(ErrorKind::kIo, 1112, "no file reaches this far")
        .in_file(path)
        .at_offset(offset_bytes);
  }
  const auto pages =
      inode.content.pages_missing(offset_bytes, offset_bytes + data.size(), inode.reserved);
  DGFS_CHECK(charge(inode, pages, path));
  inode.content.write(offset_bytes, data);
  inode.status.modify_time = inode.status.change_time = now;
  if (inode.survives_crash) {
    inode.content_changes.push_back(
        {next_change_id_++, offset_bytes, Buffer(data.begin(), data.end()), {}, {}});
  }
  return ok();
}

void MemoryTree::resize(MemoryInode& inode, std::uint64_t size_bytes) {
  if (size_bytes <= inode.content.size_bytes()) {
    inode.reserved.remove(pages_spanned(size_bytes), UINT64_MAX);
  }
  inode.content.resize(size_bytes);
  inode.status.modify_time = inode.status.change_time = now;
  charge_anew(inode);
  if (inode.survives_crash) {
    inode.content_changes.push_back({next_change_id_++, 0, {}, size_bytes, {}});
  }
}

void MemoryTree::punch(MemoryInode& inode, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  if (begin_bytes >= end_bytes) return;
  inode.reserved.remove(pages_spanned(begin_bytes), end_bytes / MemoryContent::kPageBytes);
  inode.content.punch(begin_bytes, end_bytes);
  charge_anew(inode);
  if (inode.survives_crash) {
    inode.content_changes.push_back({next_change_id_++, begin_bytes, {}, {}, end_bytes});
  }
}

void MemoryTree::charge_anew(MemoryInode& inode) {
  charged_pages_ -= inode.charged_pages;
  inode.charged_pages = pages_taken(inode);
  charged_pages_ += inode.charged_pages;
}

Status MemoryTree::reserve(MemoryInode& inode, std::uint64_t begin_bytes, std::uint64_t end_bytes,
                           const std::string& path) {
  if (begin_bytes >= end_bytes) return ok();
  const auto pages = inode.content.pages_missing(begin_bytes, end_bytes, inode.reserved);
  DGFS_CHECK(charge(inode, pages, path));
  inode.reserved.add(begin_bytes / MemoryContent::kPageBytes, pages_spanned(end_bytes));
  return ok();
}

void MemoryTree::crash(CrashLoss loss, std::uint64_t seed) {
  ++crash_count;
  charged_pages_ = 0;
  std::unordered_set<MemoryInode*> seen{root_.get()};
  std::vector<MemoryInode*> waiting{root_.get()};
  while (!waiting.empty()) {
    MemoryInode& inode = *waiting.back();
    waiting.pop_back();
    lose_unsynced(inode, loss, seed);
    inode.open_count = 0;
    inode.is_locked = false;
    inode.shared_locks = 0;
    inode.charged_pages = 0;
    charge_anew(inode);
    for (const auto& [name, child] : inode.entries) {
      if (seen.insert(child.get()).second) {
        child->status.link_count = 0;
        waiting.push_back(child.get());
      }
      ++child->status.link_count;
    }
  }
}

std::shared_ptr<MemoryTree> MemoryTree::snapshot() const {
  auto taken = std::make_shared<MemoryTree>();
  taken->now = now;
  taken->capacity_bytes = capacity_bytes;
  taken->next_inode_ = next_inode_;
  taken->next_change_id_ = next_change_id_;
  std::unordered_map<const MemoryInode*, MemoryInodePtr> copies;
  std::vector<const MemoryInode*> waiting;
  const auto copy_of = [&](const MemoryInode& inode) {
    auto& copy = copies[&inode];
    if (copy == nullptr) {
      copy = durable_copy(inode);
      taken->charge_anew(*copy);
      waiting.push_back(&inode);
    }
    return copy;
  };
  taken->root_ = copy_of(*root_);
  while (!waiting.empty()) {
    const MemoryInode& inode = *waiting.back();
    waiting.pop_back();
    MemoryInode& copy = *copies[&inode];
    for (const auto& [name, child] : inode.entries) copy.entries[name] = copy_of(*child);
    copy.durable_entries = copy.entries;
  }
  return taken;
}

Result<MemoryInodePtr> MemoryTree::find(const MemoryInode& directory, std::string_view name,
                                        const std::string& path) const {
  const auto entry = directory.entries.find(name);
  if (entry != directory.entries.end()) return entry->second;
  return Error(ErrorKind::kNotFound, 1100, "no such file or directory").in_file(path);
}

Result<MemoryInodePtr> MemoryTree::resolve(std::string_view path) const {
  std::vector<std::string> todo;
  push_components(path, todo);
  std::vector<MemoryInodePtr> way{root_};  // for ".."
  for (int links = 0; !todo.empty();) {
    const std::string name = std::move(todo.back());
    todo.pop_back();
    if (!way.back()->is_directory()) {
      return Error(ErrorKind::kNotDirectory, 1101, "a part is no directory").in_file(path);
    }
    if (name == "..") {
      if (way.size() > 1) way.pop_back();
      continue;
    }
    DGFS_TRY(inode, find(*way.back(), name, std::string(path)));
    if (!inode->is_link()) {
      way.push_back(inode);
      continue;
    }
    if (++links > kLinksMax) {
      return Error(ErrorKind::kLoop, 1102, "too many symbolic links").in_file(path);
    }
    if (inode->link_target.starts_with('/')) way.assign(1, root_);
    push_components(inode->link_target, todo);
  }
  return way.back();
}

Result<std::pair<MemoryInodePtr, std::string>> MemoryTree::resolve_parent(
    std::string_view path) const {
  std::string name = base_name(path);
  DGFS_CHECK(check_name(name, parent_path(path)));
  DGFS_TRY(parent, resolve(parent_path(path)));
  if (parent->is_directory()) return std::pair(parent, std::move(name));
  return Error(ErrorKind::kNotDirectory, 1113, "the parent is no directory").in_file(path);
}

}  // namespace dgfs::storage
