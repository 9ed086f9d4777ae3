// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Env: the operating system as DGFS sees it: files, directories, clocks, randomness, environment
// variables. main() makes one and passes it down; no code keeps one in a global.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/directory.h"
#include "storage/file.h"

namespace dgfs::storage {

/// Shorter writes are cheaper through the page cache, where they need not wait for the device.
inline constexpr std::size_t kDirectWriteBytesMin = std::size_t{64} << 10;

/// How to open a file. A value.
struct OpenOptions {
  /// The operations allowed, and whether the file must exist.
  enum class Mode : std::uint8_t {
    kRead,       ///< must exist
    kReadWrite,  ///< must exist
    kCreateNew,  ///< must not exist
  };
  Mode mode = Mode::kRead;  ///< operations allowed
  /// Bypasses the page cache (O_DIRECT). Any offset, length and buffer is allowed: unaligned
  /// requests go through an aligned bounce buffer. Falls back to cached I/O if the file system
  /// refuses.
  bool direct = false;
  /// Like `direct`, but only for writes of at least kDirectWriteBytesMin; the page cache has the
  /// rest.
  bool direct_writes = false;
};

/// The identity that access(2) asks about: the real ids of the process. A value.
struct Caller {
  std::uint32_t user_id = 0;                  ///< id of the user
  std::uint32_t group_id = 0;                 ///< id of the user's first group
  std::vector<std::uint32_t> further_groups;  ///< ids of further groups, in no order

  /// Whether `id` is one of the user's groups.
  [[nodiscard]] bool is_in_group(std::uint32_t id) const {
    return id == group_id ||
           std::find(further_groups.begin(), further_groups.end(), id) != further_groups.end();
  }
};

/// The operating system. Thread-safe, as every implementation must be. It must outlive the files
/// and directories opened through it. Errors carry the path; their kinds are those of Directory.
class Env {
 public:
  virtual ~Env() = default;
  Env() = default;
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  /// Follows links. Errors: kNotFound, kExists (kCreateNew), kIsDirectory.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(const std::string& path,
                                                           OpenOptions options) = 0;
  /// Opens for reading.
  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& path) {
    return open(path, OpenOptions{});
  }

  /// A file without a name in the file system of `directory_path`. It vanishes when it is closed or
  /// the process dies. For spools, and for outputs until publish() names them.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> create_unnamed(
      const std::string& directory_path) = 0;

  /// Gives a file from create_unnamed() the name `path` atomically, replacing any file there. It
  /// syncs the file, links it under a temporary name, renames it and syncs the directory. `mode`
  /// holds the permission bits before the umask. On failure nothing is left and `path` is
  /// unchanged, except if the last step fails, the sync of the directory: then the new file is
  /// there but may not survive a power cut. Afterwards file.path() is `path`.
  [[nodiscard]] virtual Status publish(File& file, const std::string& path,
                                       std::uint32_t mode = 0666) = 0;

  /// Replaces any file at `to`, atomically. Does not sync.
  [[nodiscard]] virtual Status rename(const std::string& from, const std::string& to) = 0;
  /// Removes a name that is not a directory, or an empty directory.
  [[nodiscard]] virtual Status remove(const std::string& path) = 0;
  /// Attributes, following links. kNotFound if `path` does not exist.
  [[nodiscard]] virtual Result<FileStatus> status(const std::string& path) const = 0;
  /// @param mode  permission bits before the umask. kExists.
  [[nodiscard]] virtual Status make_directory(const std::string& path, std::uint32_t mode) = 0;
  /// Opens a directory by path. Follows links on the way, since the path is the user's own
  /// argument.
  [[nodiscard]] virtual Result<std::unique_ptr<Directory>> open_directory(
      const std::string& path) = 0;
  /// Puts the names in a directory on stable storage.
  [[nodiscard]] virtual Status sync_directory(const std::string& path) = 0;

  /// Wall clock.
  [[nodiscard]] virtual Time now() const = 0;
  /// Nanoseconds since an arbitrary zero point, of a clock that never goes back.
  [[nodiscard]] virtual std::uint64_t monotonic_ns() const = 0;
  /// Fills `out` with unpredictable bytes (seeded in memory environments).
  virtual void random(MutableBytes out) = 0;
  /// Value of an environment variable.
  [[nodiscard]] virtual std::optional<std::string> variable(const std::string& name) const = 0;
  /// Number of cores this process may use, at least 1.
  [[nodiscard]] virtual unsigned processor_count() const = 0;
  /// The user as whom the process acts (effective id).
  [[nodiscard]] virtual std::uint32_t user_id() const = 0;
  /// The user who runs the process (real ids).
  [[nodiscard]] virtual Caller caller() const = 0;
  /// The process id, as the system and its user know it. Never 0.
  [[nodiscard]] virtual std::uint64_t process_id() const = 0;
};

/// "a/b/c" -> "a/b"; "c" -> "."; "/c" -> "/".
[[nodiscard]] std::string parent_path(std::string_view path);
/// "a/b/c" -> "c".
[[nodiscard]] std::string base_name(std::string_view path);

}  // namespace dgfs::storage
