// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/question.h"

#include <fmt/format.h>

#include "tools/text/quoting.h"

namespace dgfs::tools {

Result<bool> ask_user(const Session& session, std::string_view question) {
  const ToolIo& io = session.io();
  if (!io.read_line) {
    return Error(ErrorKind::kPermission, 6960,
                 "the standard input is no terminal, so nobody can be asked; --yes does without");
  }
  io.out.flush();  // what the question is about
  io.err.write(fmt::format("{} [y/N] ", printable(question)));
  io.err.flush();
  DGFS_TRY(answer, io.read_line());
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace dgfs::tools
