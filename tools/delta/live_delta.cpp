// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/live_delta.h"

#include "delta/control/control.h"
#include "tools/delta/live_job.h"
#include "tools/info/live_statistics.h"

namespace dgfs::tools {

std::optional<int> show_live_delta(const Session& session, const std::string& directory,
                                   bool json) {
  const auto answer = ask_mount(session, directory, delta::kAskInfo);
  // If no process answers, opening the directory gives a better error.
  if (!answer) return std::nullopt;
  if (!*answer) return session.fail(answer->error());
  return print_statistics(session, answer->value(), json);
}

}  // namespace dgfs::tools
