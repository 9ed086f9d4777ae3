// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ControlServer: threads that answer the questions from the control socket of a delta.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "storage/posix/local_socket.h"

namespace dgfs::delta {

/// One thread makes and destroys it.
class ControlServer {
 public:
  /// A seal or a checkpoint may take minutes; questions about the state are answered meanwhile.
  static constexpr int kAnswersAtOnce = 4;
  /// Answers one question, in a thread of the server; kAnswersAtOnce of them may call it at once.
  /// The server sends an error to the process that asked.
  using Answer = std::function<Result<std::string>(std::string_view question)>;

  /// Begins to listen. The caller holds the lock of the delta, so a socket that is already there
  /// was left by a process that has ended.
  /// @param directory  of the delta
  /// Errors: those of LocalListener::open(); kLimit (no thread available).
  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> start(const std::string& directory,
                                                                    Answer answer);
  /// Waits for the answers that are under way. The name of the socket stays: one that vanished
  /// could make a copy of the directory fail.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  ControlServer(storage::LocalListener listener, Answer answer);
  void serve();
  [[nodiscard]] std::string answer_to(const std::string& question) const;

  const storage::LocalListener listener_;
  const Answer answer_;
  std::vector<std::thread> threads_;
};

}  // namespace dgfs::delta
