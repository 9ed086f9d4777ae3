// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MountKeeper: a process beside the server that unmounts in its place: when the server has been
// killed (auto_unmount), or when nothing uses the mount (idle=). The server itself could not wait
// for the kernel, which may wait for the server while it unmounts.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/env.h"
#include "storage/posix/companion.h"
#include "storage/posix/mount_identity.h"

namespace dgfs::fuse {

/// How a mount is used, as the keeper finds it when it tries to unmount it.
enum class Use : std::uint8_t {
  kNone,     ///< nothing used the mount, and it is unmounted now
  kEarlier,  ///< nothing uses it now, but something did since the last time
  kNow,      ///< a process uses it: an open or mapped file, or a working directory
};

/// The server's side. Moved, not copied. For one thread.
class MountKeeper {
 public:
  /// Starts the process. It touches only the mount that mounted() names later: never another one
  /// that stands in the same place.
  /// @param env                   must outlive the process: the keeper has a copy of it
  /// @param mount_point           absolute, without links
  /// @param unmounts_after_death  unmount if the server ends without a call of end()
  /// The caller must have only one thread. Errors: those of start_companion().
  [[nodiscard]] static Result<MountKeeper> start(storage::Env& env, const std::string& mount_point,
                                                 bool unmounts_after_death);

  /// The mount exists. Call it before anything else can be mounted over it. Errors: those of
  /// storage::mount_of(); kIo (the keeper was killed).
  [[nodiscard]] Status mounted(const std::string& mount_point);
  /// Nothing is left to do for the keeper, which ends.
  void end() noexcept;

  /// Asks the keeper to note that the mount is unused from now on: kEarlier or kNow follow. Root's
  /// keeper has the kernel note it (MNT_EXPIRE of umount2(2)), which also sees uses that its caches
  /// answer without the server; the keeper of another user says kEarlier.
  [[nodiscard]] Status ask_note() const;
  /// Asks the keeper to unmount if nothing has used the mount since the note.
  [[nodiscard]] Status ask_unmount() const;
  /// Whether the answer to the last question is there. Does not wait.
  [[nodiscard]] bool has_answer() const;
  /// Takes it. Errors: kIo (the keeper was killed).
  [[nodiscard]] Result<Use> take_answer() const;

 private:
  explicit MountKeeper(storage::LocalConnection connection) : connection_(std::move(connection)) {}

  storage::LocalConnection connection_;
};

}  // namespace dgfs::fuse
