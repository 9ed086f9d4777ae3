// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Env: the operating system as DGFS sees it: files, directories, clocks, randomness, environment.
// main() makes one and passes it down; nothing keeps one in a global.
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

/// A shorter write costs less through the page cache, where it need not wait for the device.
inline constexpr std::size_t kDirectWriteBytesMin = std::size_t{64} << 10;

/// How to open a file. A value.
struct OpenOptions {
  /// What may be done, and what must be there.
  enum class Mode : std::uint8_t {
    kRead,       ///< must exist
    kReadWrite,  ///< must exist
    kCreateNew,  ///< must not exist
  };
  Mode mode = Mode::kRead;  ///< what may be done
  /// Bypass the page cache (O_DIRECT). Any offset, length and buffer may be passed all the same:
  /// unaligned requests go through an aligned bounce buffer. Falls back to cached I/O where the
  /// file system refuses.
  bool direct = false;
  /// Likewise, but for writes of kDirectWriteBytesMin and more alone: the page cache has the rest.
  bool direct_writes = false;
};

/// Whom access(2) asks about: the real ids of the process. A value.
struct Caller {
  std::uint32_t user_id = 0;                  ///< of the user
  std::uint32_t group_id = 0;                 ///< of the user's first group
  std::vector<std::uint32_t> further_groups;  ///< ids, in no order

  /// Whether it is one of the user's groups.
  [[nodiscard]] bool is_in_group(std::uint32_t id) const {
    return id == group_id ||
           std::find(further_groups.begin(), further_groups.end(), id) != further_groups.end();
  }
};

/// The operating system. Thread-safe, as every implementation must be. It must outlive the files
/// and directories opened through it. Errors carry the path; kinds are those of Directory.
class Env {
 public:
  virtual ~Env() = default;
  Env() = default;
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  /// Follows links. kNotFound, kExists (kCreateNew), kIsDirectory.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(const std::string& path,
                                                           OpenOptions options) = 0;
  /// Opens for reading.
  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& path) {
    return open(path, OpenOptions{});
  }

  /// A file without a name in `directory_path`'s file system: it is gone when closed, and when
  /// the process dies. For spools, and for outputs until publish() names them.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> create_unnamed(
      const std::string& directory_path) = 0;

  /// Gives a file from create_unnamed() the name `path`, replacing what is there, atomically:
  /// syncs the file, links it under a temporary name, renames, syncs the directory. `mode` are its
  /// permission bits before the umask. On failure nothing is left and `path` is as before, unless
  /// the last step fails, the sync of the directory: then the new file is there, but may not
  /// outlive a power cut. Afterwards file.path() is `path`.
  [[nodiscard]] virtual Status publish(File& file, const std::string& path,
                                       std::uint32_t mode = 0666) = 0;

  /// Replaces what is at `to`, atomically; not synced.
  [[nodiscard]] virtual Status rename(const std::string& from, const std::string& to) = 0;
  /// Removes a name that is not a directory, or an empty directory.
  [[nodiscard]] virtual Status remove(const std::string& path) = 0;
  /// Attributes, following links. kNotFound where nothing is there.
  [[nodiscard]] virtual Result<FileStatus> status(const std::string& path) const = 0;
  /// @param mode  permission bits before the umask. kExists.
  [[nodiscard]] virtual Status make_directory(const std::string& path, std::uint32_t mode) = 0;
  /// Opens a directory by path, following links on the way (it is the user's own argument).
  [[nodiscard]] virtual Result<std::unique_ptr<Directory>> open_directory(
      const std::string& path) = 0;
  /// Puts the names in a directory on stable storage.
  [[nodiscard]] virtual Status sync_directory(const std::string& path) = 0;

  /// Wall clock.
  [[nodiscard]] virtual Time now() const = 0;
  /// Nanoseconds of a clock that never goes back; zero point arbitrary.
  [[nodiscard]] virtual std::uint64_t monotonic_ns() const = 0;
  /// Fills `out` with unpredictable bytes (seeded in memory environments).
  virtual void random(MutableBytes out) = 0;
  /// Value of an environment variable.
  [[nodiscard]] virtual std::optional<std::string> variable(const std::string& name) const = 0;
  /// Cores this process may use, at least 1.
  [[nodiscard]] virtual unsigned processor_count() const = 0;
  /// User that the process acts as.
  [[nodiscard]] virtual std::uint32_t user_id() const = 0;
  /// Who runs the process.
  [[nodiscard]] virtual Caller caller() const = 0;
  /// Number by which the system, and its user, know the process. Never 0.
  [[nodiscard]] virtual std::uint64_t process_id() const = 0;
};

/// "a/b/c" -> "a/b"; "c" -> "."; "/c" -> "/".
[[nodiscard]] std::string parent_path(std::string_view path);
/// "a/b/c" -> "c".
[[nodiscard]] std::string base_name(std::string_view path);

}  // namespace dgfs::storage
