// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One object of the file system in memory, and what of it has reached the imaginary disk.
//
//   now:      content, entries                   what calls see
//   durable:  durable_content, durable_entries   what a power cut leaves for sure
//   between:  content_changes, name_changes      may be kept, lost or torn, one by one
//
// Attributes, extended attributes and link targets are always durable: no promise of DGFS rests
// on when they get there.
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

/// A write, a change of size (if `new_size_bytes` is set), or a punched hole (if `hole_end_bytes`
/// is) that no sync has covered yet.
struct ContentChange {
  std::uint64_t id = 0;
  std::uint64_t offset_bytes = 0;
  Buffer data;
  std::optional<std::uint64_t> new_size_bytes;
  std::optional<std::uint64_t> hole_end_bytes;
};

/// `name` has come to stand for `inode` (null: nothing) and no sync has covered it yet. The
/// changes of one rename have the same id, and so the same fate.
struct NameChange {
  std::uint64_t id = 0;
  std::string name;
  MemoryInodePtr inode;
};

/// Fields are guarded by the mutex of the tree.
struct MemoryInode {
  FileStatus status;  // sizes, and link counts of directories, are worked out when asked for
  std::map<std::string, Buffer, std::less<>> xattrs;
  std::string link_target;

  MemoryContent content;
  PageRanges reserved;  // by preallocate()
  MemoryContent durable_content;
  std::vector<ContentChange> content_changes;
  bool survives_crash = true;  // false while unnamed: nothing to remember for later

  MemoryEntries entries;
  MemoryEntries durable_entries;
  std::vector<NameChange> name_changes;

  std::uint64_t open_count = 0;     // Files that hold it
  bool is_locked = false;           // by one of them
  std::uint64_t shared_locks = 0;   // by others, if it is not
  std::uint64_t charged_pages = 0;  // its part of the capacity in use

  [[nodiscard]] bool is_directory() const noexcept;
  [[nodiscard]] bool is_regular() const noexcept;
  [[nodiscard]] bool is_link() const noexcept;
  /// Directories: without "." and "..".
  [[nodiscard]] FileStatus current_status() const;
};

/// Marks the content of `inode` as durable.
void make_content_durable(MemoryInode& inode);
/// Marks the entries of the directory `inode` as durable.
void make_names_durable(MemoryInode& inode);

/// Replaces the present of `inode` by what a power cut leaves of it; `seed` decides the fate of
/// each change by its id.
void lose_unsynced(MemoryInode& inode, CrashLoss loss, std::uint64_t seed);

}  // namespace dgfs::storage
