// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CommandRing: a ring of io_uring whose submissions have room for a command (IORING_OP_URING_CMD,
// SQE128).
#pragma once

#include <liburing.h>
#include <sys/uio.h>

#include <cstdint>
#include <span>

#include "storage/posix/fuse_ring_abi.h"

namespace dgfs::storage {

/// For one thread.
class CommandRing {
 public:
  CommandRing() = default;
  ~CommandRing();
  CommandRing(const CommandRing&) = delete;
  CommandRing& operator=(const CommandRing&) = delete;

  /// @param flags  further ones of io_uring_setup(2)
  /// Returns an errno; 0: it is there.
  [[nodiscard]] int set_up(unsigned entries, unsigned flags);
  [[nodiscard]] io_uring& get() { return ring_; }

  /// Queues a command, which io_uring_submit() sends.
  /// @param parts  of REGISTER, else empty; valid until the command is sent
  /// @param data   comes back with the command's result
  void add(int device, std::uint32_t command, const FuseRingCommand& own,
           std::span<const iovec> parts, void* data);

 private:
  io_uring ring_{};
  bool is_set_up_ = false;
};

}  // namespace dgfs::storage
