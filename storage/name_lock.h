// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Name lock: keeps a path to one process while a file is made that will take its place. What is
// locked is not the file there, since publishing replaces it, but a hidden file beside it:
//
//   DIR/.NAME.lock   locked by its holder, in it the number of the holder's process
//
// The lock ends with the process, however that ends; the hidden file goes when the holder lets go.
// A kill leaves it, unlocked: whoever comes next removes it. Whoever has locked a file checks that
// the name still stands for that file, since its last holder may have removed it meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::storage {

/// "x" -> ".x.lock". Of a name too long for that, the beginning and a hash of all of it.
[[nodiscard]] std::string lock_name(std::string_view name);

/// One path, kept from all others that take a lock of it until this is destroyed. For one thread.
class NameLock {
 public:
  /// Does not wait. A file system without locks gives one that keeps nobody out.
  /// @param env   must outlive the lock
  /// @param path  of a file that may be there or not; its directory must be
  /// Errors: kBusy (somebody has it: the message names the process), kInvalidArgument (no file
  /// name), kExists (the lock's own name is taken by what is no file); those of making a file.
  [[nodiscard]] static Result<std::unique_ptr<NameLock>> take(Env& env, const std::string& path);

  ~NameLock();
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

  /// The lock file, which is nobody's content; nullopt where the file system has no locks.
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
  std::optional<FileStatus> status_;  ///< set where it is locked
  bool is_unsettled_ = false;         ///< an attempt was left by an exception
};

using NameLocks = std::vector<std::unique_ptr<NameLock>>;

/// Locks of several paths, or of none. All take them in one order, so that of two that want some
/// of the same paths one gets them. Errors: as of NameLock::take().
/// @param paths  no two of one file
[[nodiscard]] Result<NameLocks> lock_names(Env& env, const std::vector<std::string>& paths);

}  // namespace dgfs::storage
