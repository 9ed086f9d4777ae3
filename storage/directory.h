// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directory: an open directory. A build reads trees through it and an extraction writes them, one
// component at a time. Names are single components, never paths, and symbolic links are never
// followed. So no call of a Directory can leave its tree, whatever other processes do meanwhile,
// and paths of any length work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/file.h"
#include "storage/new_file.h"

namespace dgfs::storage {

/// Takes one name, which is valid until the sink returns. Returns false to get no more names.
using NameSink = std::function<bool(std::string_view name)>;

/// An open directory. It must not outlive the Env that opened it. Thread-safe for concurrent calls.
/// Parameters `name` have 1 to 255 bytes, no '/', no NUL, and are not "." or ".."; other names give
/// kInvalidArgument. Where a method says so, an empty `name` means the directory itself. Errors
/// carry the path and map errno to kinds: ENOENT kNotFound, EACCES/EPERM kPermission, EEXIST
/// kExists, ENOTDIR kNotDirectory, EISDIR kIsDirectory, ELOOP kLoop, ENOSPC/EDQUOT kNoSpace, EMLINK
/// kLimit, all others kIo.
class Directory {
 public:
  virtual ~Directory() = default;
  Directory() = default;
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Reading.
  /// Calls `sink` with each name except "." and "..", in no particular order, until it returns
  /// false. If other processes change the directory meanwhile, a name may come twice or not at all.
  /// Memory: O(1).
  [[nodiscard]] virtual Status each_name(const NameSink& sink) const = 0;
  /// All these names at once.
  [[nodiscard]] Result<std::vector<std::string>> list() const;
  /// Attributes of `name`, or of this directory if `name` is empty. Does not follow a link.
  [[nodiscard]] virtual Result<FileStatus> status(std::string_view name = {}) const = 0;
  /// kNotDirectory if `name` is not a directory; a link to a directory is not one.
  [[nodiscard]] virtual Result<std::unique_ptr<Directory>> open_directory(
      std::string_view name) const = 0;
  /// Opens a regular file for reading. Never blocks on a FIFO, never follows a link (kLoop), and
  /// leaves the access time alone where the system allows it.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> open_file(std::string_view name) const = 0;
  /// The target of a symbolic link; kInvalidArgument for anything else.
  [[nodiscard]] virtual Result<std::string> read_link(std::string_view name) const = 0;
  /// Sorted by name; those of the directory itself if `name` is empty. Works on links and device
  /// nodes.
  [[nodiscard]] virtual Result<std::vector<Xattr>> xattrs(std::string_view name = {}) const = 0;

  // Writing. No call replaces an existing name: kExists.
  /// @param mode  permission bits before the umask
  [[nodiscard]] virtual Status make_directory(std::string_view name, std::uint32_t mode) = 0;
  /// Opens for writing and reading; the file must not exist.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> create_file(std::string_view name,
                                                                  std::uint32_t mode) = 0;
  /// Makes a regular file that gets its name here once it is complete. Until then its errors show
  /// that name, although another file may have it.
  [[nodiscard]] virtual Result<std::unique_ptr<NewFile>> create_unnamed(std::string_view name,
                                                                        std::uint32_t mode) = 0;
  /// @param target  any bytes but NUL; not checked whether it leads anywhere
  [[nodiscard]] virtual Status make_symlink(std::string_view name, std::string_view target) = 0;
  /// Gives `existing_name` of `existing_directory` the further name `name` here. kLimit if the
  /// object has as many names as the file system allows. kUnsupported if the file system has no
  /// links, or if the directories lie in different file systems; some file systems give kPermission
  /// instead.
  [[nodiscard]] virtual Status make_link(const Directory& existing_directory,
                                         std::string_view existing_name, std::string_view name) = 0;
  /// FIFO, socket, character or block device by the type bits of `mode`.
  [[nodiscard]] virtual Status make_node(std::string_view name, std::uint32_t mode,
                                         std::uint64_t rdev) = 0;
  // The next calls act on `name`, or on the directory itself if it is empty; links are not
  // followed.
  /// Needs privilege, as chown(2) does; otherwise kPermission.
  [[nodiscard]] virtual Status set_owner(std::string_view name, std::uint32_t uid,
                                         std::uint32_t gid) = 0;
  /// Permission bits only (07777). Not for symbolic links (kInvalidArgument).
  [[nodiscard]] virtual Status set_mode(std::string_view name, std::uint32_t mode) = 0;
  /// @param access_time  nullopt leaves it alone
  [[nodiscard]] virtual Status set_times(std::string_view name, std::optional<Time> access_time,
                                         Time modify_time) = 0;
  /// Replaces an older value.
  [[nodiscard]] virtual Status set_xattr(std::string_view name, std::string_view key,
                                         Bytes value) = 0;
  /// kNotFound if there is no such attribute.
  [[nodiscard]] virtual Status remove_xattr(std::string_view name, std::string_view key) = 0;
  /// Removes a name that is not a directory, or an empty directory.
  [[nodiscard]] virtual Status remove(std::string_view name) = 0;
  /// Puts the entries that were made through this directory on stable storage.
  [[nodiscard]] virtual Status sync() = 0;

  /// The path by which it was opened, for messages.
  [[nodiscard]] virtual const std::string& path() const = 0;
};

}  // namespace dgfs::storage
