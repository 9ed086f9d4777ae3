// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/control/control_server.h"

#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "delta/control/control.h"
#include "storage/posix/blocked_signals.h"

namespace dgfs::delta {
namespace {

// The longest question names all states of a delta.
constexpr std::size_t kQuestionBytesMax = 1024;
// The server waits this long for a question, so the destructor may have to wait as long.
constexpr std::chrono::seconds kPatience{1};

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::start(const std::string& directory,
                                                            Answer answer) {
  DGFS_TRY(listener, storage::LocalListener::open(directory, kControlName));
  std::unique_ptr<ControlServer> server(new ControlServer(std::move(listener), std::move(answer)));
  const storage::BlockedSignals blocked;  // the thread inherits it
  try {
    for (int i = 0; i < kAnswersAtOnce; ++i) {
      server->threads_.emplace_back([own = server.get()] { own->serve(); });
    }
  } catch (const std::system_error& failure) {
    return Error(ErrorKind::kLimit, 7192, "cannot start a thread")
        .with_errno(failure.code().value());
  }
  return server;
}

ControlServer::ControlServer(storage::LocalListener listener, Answer answer)
    : listener_(std::move(listener)), answer_(std::move(answer)) {}

ControlServer::~ControlServer() {
  listener_.stop();
  for (std::thread& thread : threads_) thread.join();
}

// Processes that ask slowly delay the others; only the owner of the delta and root can ask.
void ControlServer::serve() {
  while (true) {
    const auto connection = listener_.accept(kPatience);
    if (!connection && connection.error().kind() == ErrorKind::kInterrupted) return;
    if (!connection) {
      std::this_thread::sleep_for(std::chrono::seconds(1));  // no file descriptor is left
      continue;
    }
    const auto question = connection.value().receive_line(kQuestionBytesMax);
    if (question) static_cast<void>(connection.value().send(answer_to(question.value())));
  }
}

std::string ControlServer::answer_to(const std::string& question) const {
  try {
    auto answer = answer_(question);
    if (answer) return std::move(answer).value();
    return std::string(kRefusal) + answer.error().message();
  } catch (const std::exception& exception) {
    return std::string(kRefusal) + exception.what();
  }
}

}  // namespace dgfs::delta
