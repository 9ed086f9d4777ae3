// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stream sockets that have a name in a directory (unix(7)), on which a process is asked something:
// one line goes there, and an answer of any length comes back.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {

/// One end of a connection. For one thread; moved, not copied. A call gives up (kIo) after the
/// patience of the connection without a byte.
class LocalConnection {
 public:
  /// @param patience  0: without end
  LocalConnection(UniqueFd socket, std::chrono::seconds patience);

  /// Connects to whoever listens. Paths of any length do.
  /// Errors: kNotFound (nobody listens there, or there is no such directory), kPermission, kIo.
  [[nodiscard]] static Result<LocalConnection> open(const std::string& directory,
                                                    const std::string& name,
                                                    std::chrono::seconds patience);
  /// Up to the first line feed, without it, or the end. Errors: kLimit (a line of more bytes), kIo.
  [[nodiscard]] Result<std::string> receive_line(std::size_t bytes_max) const;
  /// Up to the end. Errors: those of receive_line().
  [[nodiscard]] Result<std::string> receive_all(std::size_t bytes_max) const;
  /// Errors: kIo (the other end is gone, too).
  [[nodiscard]] Status send(std::string_view bytes) const;

 private:
  UniqueFd socket_;
};

/// Moved, not copied.
class LocalListener {
 public:
  /// Listens by a name that nothing has, or another socket: that one is replaced. Only the owner of
  /// the process, and root, may connect. Errors: kExists (something else has the name), kNotFound
  /// (no such directory), kPermission, kIo, kNoSpace.
  [[nodiscard]] static Result<LocalListener> open(const std::string& directory,
                                                  const std::string& name);
  /// Waits for somebody to connect. Errors: kInterrupted (stop() was called), kIo.
  /// @param patience  of the connection
  [[nodiscard]] Result<LocalConnection> accept(std::chrono::seconds patience) const;
  /// All calls of accept() return. Thread-safe.
  void stop() const noexcept;

 private:
  explicit LocalListener(UniqueFd socket) : socket_(std::move(socket)) {}

  UniqueFd socket_;
};

}  // namespace dgfs::storage
