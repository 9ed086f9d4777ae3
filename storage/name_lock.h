// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Name lock: reserves a path for one process while that process makes the file that will take the
// path. Publishing replaces the file at the path, so the lock is on a hidden file beside it:
//
//   DIR/.NAME.lock   locked by its holder; contains the holder's process id
//
// The lock ends with the process, however the process ends. The holder removes the hidden file when
// it releases the lock. A killed process leaves it behind, unlocked, and the next process removes
// it. A process that has locked such a file checks that the name still stands for that file, since
// the last holder may have removed it meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::storage {

/// "x" -> ".x.lock". If the name is too long for that, its beginning and a hash of all of it.
[[nodiscard]] std::string lock_name(std::string_view name);

/// The lock of one path, held until destruction. For one thread.
class NameLock {
 public:
  /// Takes the lock without waiting. On a file system without locks, the result excludes no
  /// process.
  /// @param env   must outlive the lock
  /// @param path  of a file that need not exist; its directory must
  /// Errors: kBusy (another process holds the lock: the message names it), kInvalidArgument (no
  /// file name), kExists (an object that is no regular file has the lock's name); those of making a
  /// file.
  [[nodiscard]] static Result<std::unique_ptr<NameLock>> take(Env& env, const std::string& path);

  ~NameLock();
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

  /// Attributes of the lock file, so that a build can leave it out of the image; nullopt if the
  /// file system has no locks.
  [[nodiscard]] const std::optional<FileStatus>& file_status() const { return status_; }

 private:
  NameLock(std::unique_ptr<Directory> directory, std::string name)
      : directory_(std::move(directory)), name_(std::move(name)) {}

  enum class Outcome : bool { kAgain, kDone };
  [[nodiscard]] Result<Outcome> try_to_take(Env& env, const std::string& path);
  [[nodiscard]] Result<Outcome> make_or_find(Env& env, const std::string& path);
  [[nodiscard]] Result<Outcome> lock_new(Env& env, const std::string& path);
  [[nodiscard]] Result<std::unique_ptr<File>> open_old(Env& env, const std::string& path) const;
  [[nodiscard]] Result<Outcome> lock_old(Env& env, const std::string& path);
  [[nodiscard]] Result<bool> is_current() const;
  void release();
  void settle();
  void remove_file();

  std::unique_ptr<Directory> directory_;
  std::string name_;
  std::unique_ptr<File> file_;
  std::optional<FileStatus> status_;  ///< set while it is locked
  bool is_unsettled_ = false;         ///< an exception has ended an attempt
};

using NameLocks = std::vector<std::unique_ptr<NameLock>>;

/// Takes the locks of several paths, or of none. All callers take them in the same order: of two
/// callers that want some of the same paths, one gets them. Errors: those of NameLock::take().
/// @param paths  no two of the same file
[[nodiscard]] Result<NameLocks> lock_names(Env& env, const std::vector<std::string>& paths);

}  // namespace dgfs::storage
