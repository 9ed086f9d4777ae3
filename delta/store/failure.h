// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Failure: whether a store may go on. It may not after a failed sync, or a failed write of a
// superblock, since what the disk holds is not known; nor is it known what the memory holds after a
// call that lacked memory half way: the store is torn.
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

  /// Errors: the first one that was noted. Whoever writes asks.
  [[nodiscard]] Status check() const;
  /// The same where the store is torn alone. Whoever reads asks.
  [[nodiscard]] Status check_torn() const;
  /// Notes an error, if it is the first. Returns the first. It is noted also if it throws
  /// std::bad_alloc.
  [[nodiscard]] Error note(const Error& error);
  void note_torn() noexcept;
  /// Makes something durable by a call, and notes its error. A call that throws std::bad_alloc says
  /// as little of what the disk holds: that is noted, too, and thrown on.
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

  mutable std::mutex mutex_;  ///< all that follows
  std::optional<Error> first_;
  Error out_of_memory_;  ///< made while there is memory for it
  bool is_torn_ = false;
};

}  // namespace dgfs::delta
