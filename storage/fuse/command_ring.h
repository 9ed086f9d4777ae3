// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// CommandRing: an io_uring ring whose submissions have room for a command (IORING_OP_URING_CMD,
// SQE128).
#pragma once

#include <liburing.h>
#include <sys/uio.h>

#include <cstdint>
#include <span>

#include "storage/fuse/fuse_ring_abi.h"

namespace dgfs::storage {

/// For one thread.
class CommandRing {
 public:
  CommandRing() = default;
  ~CommandRing();
  CommandRing(const CommandRing&) = delete;
  CommandRing& operator=(const CommandRing&) = delete;

  /// @param flags  further flags of io_uring_setup(2)
  /// Returns an errno; 0: success.
  [[nodiscard]] int set_up(unsigned entries, unsigned flags);
  [[nodiscard]] io_uring& get() { return ring_; }

  /// Queues a command; io_uring_submit() sends it.
  /// @param parts  for REGISTER, otherwise empty; must stay valid until the command is sent
  /// @param data   returned with the result of the command
  void add(int device, std::uint32_t command, const FuseRingCommand& own,
           std::span<const iovec> parts, void* data);

 private:
  io_uring ring_{};
  bool is_set_up_ = false;
};

}  // namespace dgfs::storage
