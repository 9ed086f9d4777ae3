// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directory: an open directory, through which trees are read (build) and written (extract) one
// component at a time. Names are single components, never paths, and symbolic links are never
// followed: nothing done through a Directory can leave its tree, whatever others do meanwhile,
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

/// Takes a name, which lives until it returns; false for no more.
using NameSink = std::function<bool(std::string_view name)>;

/// An open directory, which must not outlive the Env that it was opened in. Thread-safe for
/// concurrent calls. `name` parameters: 1 to 255 bytes, no
/// '/', no NUL, not "." or ".."; anything else is kInvalidArgument. An empty `name` where a method
/// says so means the directory itself. Errors carry the path and map errno to kinds: ENOENT
/// kNotFound, EACCES/EPERM kPermission, EEXIST kExists, ENOTDIR kNotDirectory, EISDIR
/// kIsDirectory, ELOOP kLoop, ENOSPC/EDQUOT kNoSpace, EMLINK kLimit, all others kIo.
class Directory {
 public:
  virtual ~Directory() = default;
  Directory() = default;
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Reading.
  /// Gives `sink` each name except "." and "..", in no particular order, until it returns false.
  /// While others change the directory, a name may come twice or not at all. Memory: O(1).
  [[nodiscard]] virtual Status each_name(const NameSink& sink) const = 0;
  /// All those names at once.
  [[nodiscard]] Result<std::vector<std::string>> list() const;
  /// Attributes of `name`, not following a link; of this directory if empty.
  [[nodiscard]] virtual Result<FileStatus> status(std::string_view name = {}) const = 0;
  /// kNotDirectory where `name` is anything else, a link to a directory included.
  [[nodiscard]] virtual Result<std::unique_ptr<Directory>> open_directory(
      std::string_view name) const = 0;
  /// Opens a regular file for reading; never blocks on a FIFO, never follows a link (kLoop), and
  /// leaves the access time alone where the system allows it.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> open_file(std::string_view name) const = 0;
  /// The target of a symbolic link; kInvalidArgument for anything else.
  [[nodiscard]] virtual Result<std::string> read_link(std::string_view name) const = 0;
  /// Sorted by name; of the directory itself if `name` is empty. Works on links and device nodes.
  [[nodiscard]] virtual Result<std::vector<Xattr>> xattrs(std::string_view name = {}) const = 0;

  // Writing. None replaces an existing name: kExists.
  /// @param mode  permission bits before the umask
  [[nodiscard]] virtual Status make_directory(std::string_view name, std::uint32_t mode) = 0;
  /// Opens for writing and reading; the file must not exist.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> create_file(std::string_view name,
                                                                  std::uint32_t mode) = 0;
  /// A regular file that gets its name here when it is complete. Until then its errors show the
  /// name although another file may have it.
  [[nodiscard]] virtual Result<std::unique_ptr<NewFile>> create_unnamed(std::string_view name,
                                                                        std::uint32_t mode) = 0;
  /// @param target  any bytes but NUL; nothing looks whether it leads somewhere
  [[nodiscard]] virtual Status make_symlink(std::string_view name, std::string_view target) = 0;
  /// Gives `existing_name` of `existing_directory` the further name `name` here. kLimit where it
  /// has as many as the file system allows, kUnsupported where the file system has no links, or
  /// both directories do not lie in the same one; some say kPermission instead.
  [[nodiscard]] virtual Status make_link(const Directory& existing_directory,
                                         std::string_view existing_name, std::string_view name) = 0;
  /// FIFO, socket, character or block device by the type bits of `mode`.
  [[nodiscard]] virtual Status make_node(std::string_view name, std::uint32_t mode,
                                         std::uint64_t rdev) = 0;
  // These act on `name`, or on the directory itself if it is empty; links are not followed.
  /// Needs privilege, as chown(2) does: kPermission.
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
  /// kNotFound where there is no such attribute.
  [[nodiscard]] virtual Status remove_xattr(std::string_view name, std::string_view key) = 0;
  /// Removes a name that is not a directory, or an empty directory.
  [[nodiscard]] virtual Status remove(std::string_view name) = 0;
  /// Puts the entries made through this directory on stable storage.
  [[nodiscard]] virtual Status sync() = 0;

  /// The path it was opened by, for messages.
  [[nodiscard]] virtual const std::string& path() const = 0;
};

}  // namespace dgfs::storage
