// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Traits of files and directories that only a build asks about: which of an object's attributes can
// be read, and whether inode numbers mean something. Files and directories that know more than the
// defaults implement these interfaces too.
#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/directory.h"
#include "storage/file.h"

namespace dgfs::storage {

/// A File that can read its attributes one by one. Thread-safe.
class FileTraits {
 public:
  virtual ~FileTraits() = default;
  [[nodiscard]] virtual std::vector<Xattr> readable_xattrs(
      std::vector<Error>& unreadable) const = 0;
};

/// A Directory that can do so for its entries, and that knows its file system. Thread-safe.
class DirectoryTraits {
 public:
  virtual ~DirectoryTraits() = default;
  [[nodiscard]] virtual std::vector<Xattr> readable_xattrs(
      std::string_view name, std::vector<Error>& unreadable) const = 0;
  [[nodiscard]] virtual bool keeps_inode_numbers() const = 0;
};

/// The attributes that can be read, for a caller that would rather lose some than all. Appends an
/// error to `unreadable` for each attribute that cannot be read, and for a list that cannot be read
/// as a whole. Files without FileTraits give all or none.
[[nodiscard]] std::vector<Xattr> readable_xattrs(const File& file, std::vector<Error>& unreadable);
/// The same for `name`, or for the directory itself if it is empty.
[[nodiscard]] std::vector<Xattr> readable_xattrs(const Directory& directory, std::string_view name,
                                                 std::vector<Error>& unreadable);

/// Whether the file system gives an object the same inode number as long as the object exists.
/// False where the system makes numbers up, and forgets them with the inode in memory (FUSE,
/// overlays, FAT, some network file systems): a number may then pass to another object. Costs a
/// call of the system, over FUSE a request to the server. True without DirectoryTraits.
[[nodiscard]] bool keeps_inode_numbers(const Directory& directory);

}  // namespace dgfs::storage
