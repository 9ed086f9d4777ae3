// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ControlServer: answers the questions that come by the control socket of a delta, in a thread of
// its own, one after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "storage/env.h"
#include "storage/posix/local_socket.h"

namespace dgfs::delta {

/// Made and ended by one thread.
class ControlServer {
 public:
  /// Answers one question. Called by the thread of the server. Errors: told to whoever asks.
  using Answer = std::function<Result<std::string>(std::string_view question)>;

  /// Begins to listen. The caller has the lock of the delta, so that a socket that is there is left
  /// from a process that has ended.
  /// @param env        must outlive the result
  /// @param directory  of the delta
  /// Errors: those of LocalListener::open(); kLimit (no thread to be had).
  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> start(storage::Env& env,
                                                                    std::string directory,
                                                                    Answer answer);
  /// Removes the socket, and waits for the end of an answer that is under way.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  ControlServer(storage::Env& env, std::string directory, storage::LocalListener listener,
                Answer answer);
  void serve();
  [[nodiscard]] std::string answer_to(const std::string& question) const;

  storage::Env& env_;
  const std::string directory_;
  const storage::LocalListener listener_;
  const Answer answer_;
  std::thread thread_;
};

}  // namespace dgfs::delta
