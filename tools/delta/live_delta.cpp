// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/live_delta.h"

#include "delta/control/control.h"
#include "tools/info/live_statistics.h"

namespace dgfs::tools {

std::optional<int> show_live_delta(const Session& session, const std::string& directory,
                                   bool json) {
  const auto answer = delta::ask_holder(directory, delta::kAskInfo);
  // If the socket cannot be reached, opening the directory gives a better error.
  if (!answer && answer.error().kind() != ErrorKind::kIo) return std::nullopt;
  if (!answer) return session.fail(answer.error());
  if (delta::is_closing(answer.value())) return std::nullopt;
  return print_statistics(session, answer.value(), json);
}

}  // namespace dgfs::tools
