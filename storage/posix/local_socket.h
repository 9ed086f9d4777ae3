// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Stream sockets with a name in a directory (unix(7)), for questions to a process: the client sends
// one line, and an answer of any length comes back.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {

/// One end of a connection. For one thread. Moved, not copied. A call fails (kIo) if no byte moves
/// for as long as the patience of the connection.
class LocalConnection {
 public:
  /// @param patience  0: endless
  LocalConnection(UniqueFd socket, std::chrono::seconds patience);

  /// Connects to the listening process. Paths may have any length. Errors: kNotFound (no process
  /// listens there, or there is no such directory), kPermission, kIo.
  [[nodiscard]] static Result<LocalConnection> open(const std::string& directory,
                                                    const std::string& name,
                                                    std::chrono::seconds patience);
  /// Receives up to the first line feed (not included) or the end. Errors: kLimit (a longer line),
  /// kIo.
  [[nodiscard]] Result<std::string> receive_line(std::size_t bytes_max) const;
  /// Receives up to the end. Errors: those of receive_line().
  [[nodiscard]] Result<std::string> receive_all(std::size_t bytes_max) const;
  /// Whether bytes, or the end, can be received without waiting longer. A signal ends the wait.
  [[nodiscard]] bool has_input(std::chrono::milliseconds wait = std::chrono::milliseconds(0)) const;
  /// Errors: kIo, also if the other end is gone.
  [[nodiscard]] Status send(std::string_view bytes) const;

 private:
  UniqueFd socket_;
};

/// A socket that listens. Moved, not copied.
class LocalListener {
 public:
  /// Listens under `name`, which must be free or belong to a socket; that socket is replaced. Only
  /// the owner of the process, and root, may connect. Errors: kExists (something else has the
  /// name), kNotFound (no such directory), kPermission, kIo, kNoSpace.
  [[nodiscard]] static Result<LocalListener> open(const std::string& directory,
                                                  const std::string& name);
  /// Waits for a client to connect. Errors: kInterrupted (stop() was called), kIo.
  /// @param patience  of the connection
  [[nodiscard]] Result<LocalConnection> accept(std::chrono::seconds patience) const;
  /// Makes all calls of accept() return. Thread-safe.
  void stop() const noexcept;

 private:
  explicit LocalListener(UniqueFd socket) : socket_(std::move(socket)) {}

  UniqueFd socket_;
};

}  // namespace dgfs::storage
