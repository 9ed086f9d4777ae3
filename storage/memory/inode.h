// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One object of the file system in memory. It knows which changes have reached the imaginary disk.
//
//   now:      content, entries                   seen by calls
//   durable:  durable_content, durable_entries   left by any power cut
//   between:  content_changes, name_changes      may be kept, lost or torn, one by one
//
// Attributes, extended attributes and link targets are always durable: no promise of DGFS depends
// on when they reach the disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/file.h"
#include "storage/memory/content.h"
#include "storage/memory/crash_loss.h"

namespace dgfs::storage {

struct MemoryInode;
using MemoryInodePtr = std::shared_ptr<MemoryInode>;
using MemoryEntries = std::map<std::string, MemoryInodePtr, std::less<>>;

/// A change that no sync has covered yet: a write, a change of size (if `new_size_bytes` is set) or
/// a punched hole (if `hole_end_bytes` is set).
struct ContentChange {
  std::uint64_t id = 0;
  std::uint64_t offset_bytes = 0;
  Buffer data;
  std::optional<std::uint64_t> new_size_bytes;
  std::optional<std::uint64_t> hole_end_bytes;
};

/// A change of a directory that no sync has covered yet: `name` now stands for `inode` (null: for
/// nothing). The changes of one rename have the same id, and so the same fate.
struct NameChange {
  std::uint64_t id = 0;
  std::string name;
  MemoryInodePtr inode;
};

/// The mutex of the tree guards all fields.
struct MemoryInode {
  FileStatus status;  // sizes, and link counts of directories, are computed on demand
  std::map<std::string, Buffer, std::less<>> xattrs;
  std::string link_target;

  MemoryContent content;
  PageRanges reserved;  // by preallocate()
  MemoryContent durable_content;
  std::vector<ContentChange> content_changes;
  bool survives_crash = true;  // false while unnamed: then no change is recorded

  MemoryEntries entries;
  MemoryEntries durable_entries;
  std::vector<NameChange> name_changes;

  std::uint64_t open_count = 0;     // Files that have it open
  bool is_locked = false;           // exclusively, by one of them
  std::uint64_t shared_locks = 0;   // 0 while is_locked
  std::uint64_t charged_pages = 0;  // its share of the used capacity

  [[nodiscard]] bool is_directory() const noexcept;
  [[nodiscard]] bool is_regular() const noexcept;
  [[nodiscard]] bool is_link() const noexcept;
  /// Returns `status` with its computed fields filled in.
  [[nodiscard]] FileStatus current_status() const;
};

/// Marks the content of `inode` as durable.
void make_content_durable(MemoryInode& inode);
/// Marks the entries of the directory `inode` as durable.
void make_names_durable(MemoryInode& inode);

/// Replaces the present state of `inode` by the state that a power cut leaves. `seed` and the id of
/// a change decide its fate.
void lose_unsynced(MemoryInode& inode, CrashLoss loss, std::uint64_t seed);

}  // namespace dgfs::storage
