// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Moves a file of an image. At every moment one complete copy of the file has a name.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::reader {

/// How to move. A value; the objects that its members refer to must outlive the call.
struct MoveOptions {
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)>
      progress;                             ///< may be empty
  const std::atomic<bool>* stop = nullptr;  ///< ends with kInterrupted, nothing changed
};

/// Result of a move. A value.
struct MoveReport {
  bool is_copied = false;   ///< false: only the name changed
  std::uint64_t bytes = 0;  ///< length of the file
};

/// Moves the regular file at `from` to `to`, which must not exist. Within a file system with hard
/// links, the file gets its new name before it loses the old one. Otherwise the call copies the
/// file with permissions, times and (if allowed) owner to a file without a name, syncs the copy,
/// compares it with the original, gives it its name, and then removes the original. A mount that
/// has the file open goes on reading it.
/// @param from, to  paths of files; `from` no symbolic link
/// Errors: kNotFound, kExists (`to`), kBusy (another process writes either), kChanged (`from` was
/// replaced meanwhile), kInvalidArgument (`from` is no regular file, or `to` cannot name one),
/// kCorrupt (the copy reads back differently), kIo, kNoSpace, kPermission, kInterrupted. After an
/// error, the file is still at `from`; it is also at `to` only if that name could not be removed
/// again.
/// Memory: 8 MiB.
[[nodiscard]] Result<MoveReport> move_volume_file(storage::Env& env, const std::string& from,
                                                  const std::string& to,
                                                  const MoveOptions& options);

}  // namespace dgfs::reader
