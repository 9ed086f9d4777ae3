// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Moving a file of an image to another place, so that at every moment one whole copy has a name.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::reader {

/// How to move. A value; what its members refer to must outlive the call.
struct MoveOptions {
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)>
      progress;                             ///< may be empty
  const std::atomic<bool>* stop = nullptr;  ///< ends with kInterrupted, everything as before
};

/// What was done. A value.
struct MoveReport {
  bool is_copied = false;   ///< to another file system; false: only the name changed
  std::uint64_t bytes = 0;  ///< length of the file
};

/// Moves the regular file at `from` to `to`, which must not exist. In one file system the file gets
/// its new name before it loses the old one. Else it is copied, with its owner, permissions and
/// times, to a file that has no name yet, synced, compared with the old one once more, and then
/// named; the old one goes last. A mount that has the file open goes on reading it.
/// @param from, to  paths of files; `from` no symbolic link
/// Errors: kNotFound, kExists (`to`), kBusy (somebody writes either), kChanged (`from` is another
/// file by now), kInvalidArgument (`from` is no regular file, `to` no name of one), kCorrupt (what
/// was written reads differently), kIo, kNoSpace, kPermission, kInterrupted. After each, the file
/// still is at `from`, and at `to` as well only where that name could not be removed again.
/// Memory: 8 MiB.
[[nodiscard]] Result<MoveReport> move_volume_file(storage::Env& env, const std::string& from,
                                                  const std::string& to,
                                                  const MoveOptions& options);

}  // namespace dgfs::reader
