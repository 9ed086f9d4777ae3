// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FuseChannel: a connection to the kernel's FUSE device. Each thread has its own, so that no thread
// waits for another's requests.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {

/// For one thread at a time. Moved, not copied.
class FuseChannel {
 public:
  /// A further channel of a connection. If the system gives none, the result shares `device`.
  /// @param device  descriptor of the connection; must outlive the result
  [[nodiscard]] static FuseChannel further(int device);

  /// Waits for a request and puts it into `buffer`. Returns its length; 0: the connection has
  /// ended. Errors: kInterrupted (a signal), kIo.
  [[nodiscard]] Result<std::size_t> receive(MutableBytes buffer) const;
  /// Sends a reply or a notification. Returns what writev(2) returns, and sets errno.
  ssize_t send(std::span<const iovec> parts) const;

 private:
  FuseChannel(int device, UniqueFd own) : device_(device), own_(std::move(own)) {}

  int device_;
  UniqueFd own_;
};

/// Whether the kernel still has the connection: false once its last mount has gone or it was
/// aborted, even if no thread has received that yet.
[[nodiscard]] bool is_fuse_connected(int device);

/// FuseChannel::send() on the descriptor of the connection itself.
ssize_t send_to_fuse(int device, std::span<const iovec> parts);

}  // namespace dgfs::storage
