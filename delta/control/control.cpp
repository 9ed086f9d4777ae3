// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/control/control.h"

#include <chrono>

#include "storage/posix/local_socket.h"

namespace dgfs::delta {
namespace {

constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20;
constexpr std::chrono::seconds kWithoutEnd{0};
constexpr std::chrono::milliseconds kStopInterval{200};

}  // namespace

bool is_closing(std::string_view answer) { return answer.starts_with(R"({"state":"closing")"); }

Result<std::string> ask_holder(const std::string& directory, std::string_view question,
                               const std::function<bool()>& is_stopped) {
  const bool takes_long = question == kAskCheckpoint || question.starts_with(kAskSeal) ||
                          question.starts_with(kAskDrop);
  const auto patience = takes_long ? kWithoutEnd : kControlPatience;
  DGFS_TRY(connection, storage::LocalConnection::open(directory, kControlName, patience));
  DGFS_CHECK(connection.send(std::string(question) + "\n"));
  while (takes_long && is_stopped && !connection.has_input(kStopInterval)) {
    if (!is_stopped()) continue;
    return Error(ErrorKind::kInterrupted, 7193,
                 "stopped; the process that has the delta open may still do it")
        .in_file(directory);
  }
  DGFS_TRY(answer, connection.receive_all(kAnswerBytesMax));
  if (answer.starts_with(kRefusal)) {
    answer.erase(0, kRefusal.size());
    const bool names_file = answer.starts_with('/');  // the delta, or a file in it
    Error refused(ErrorKind::kIo, 7190, std::move(answer));
    return names_file ? refused : std::move(refused).in_file(directory);
  }
  if (answer.empty()) {
    return Error(ErrorKind::kNotFound, 7191, "the process that has the delta open has ended")
        .in_file(directory);
  }
  return std::move(answer);
}

}  // namespace dgfs::delta
