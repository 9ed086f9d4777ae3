// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Failure: whether a store may go on. After a failed sync, or a failed write of a superblock, the
// content of the disk is unknown, and the store may not write. After a call that ran out of memory
// half way, the content of memory is unknown too: the store is torn.
#pragma once

#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/result.h"

namespace dgfs::delta {

/// Thread-safe. Its lock is the innermost: it may be asked under any other.
class Failure {
 public:
  Failure() : out_of_memory_(ErrorKind::kLimit, 7094, "an earlier call ran out of memory") {}

  /// Errors: the first one that was noted. Every call that writes asks this.
  [[nodiscard]] Status check() const;
  /// Fails only if the store is torn. Every call that reads asks this.
  [[nodiscard]] Status check_torn() const;
  /// Notes an error if it is the first, and returns the first one. Notes it even if it then throws
  /// std::bad_alloc.
  [[nodiscard]] Error note(const Error& error);
  void note_torn() noexcept;
  /// Calls `sync`, which makes something durable, and notes its error. After std::bad_alloc the
  /// content of the disk is unknown as well: that is noted, and the exception is thrown on.
  /// @param sync  returns a Status
  template <class Sync>
  [[nodiscard]] Status note_sync(Sync sync) {
    try {
      auto synced = sync();
      return synced ? std::move(synced) : Status(note(synced.error()));
    } catch (const std::bad_alloc&) {
      note_unknown();
      throw;
    }
  }

 private:
  void note_unknown() noexcept;

  mutable std::mutex mutex_;  ///< guards all that follows
  std::optional<Error> first_;
  Error out_of_memory_;  ///< made while there is memory for it
  bool is_torn_ = false;
};

}  // namespace dgfs::delta
