// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/control/control.h"

#include <chrono>

#include "storage/posix/local_socket.h"

namespace dgfs::delta {
namespace {

constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20;
constexpr std::chrono::seconds kWithoutEnd{0};

}  // namespace

bool is_closing(std::string_view answer) { return answer.starts_with(R"({"state":"closing")"); }

Result<std::string> ask_holder(const std::string& directory, std::string_view question) {
  const bool takes_long = question == kAskCheckpoint || question.starts_with(kAskSeal);
  const auto patience = takes_long ? kWithoutEnd : kControlPatience;
  DGFS_TRY(connection, storage::LocalConnection::open(directory, kControlName, patience));
  DGFS_CHECK(connection.send(std::string(question) + "\n"));
  DGFS_TRY(answer, connection.receive_all(kAnswerBytesMax));
  if (answer.starts_with(kRefusal)) {
    answer.erase(0, kRefusal.size());
    return Error(ErrorKind::kIo, 7190, std::move(answer)).in_file(directory);
  }
  if (answer.empty()) {
    return Error(ErrorKind::kNotFound, 7191, "the process that has the delta open has ended")
        .in_file(directory);
  }
  return std::move(answer);
}

}  // namespace dgfs::delta
