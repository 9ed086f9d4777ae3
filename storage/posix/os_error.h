// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// errno as an Error: the one place where the operating system's numbers become our kinds.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace dgfs::storage {

/// The kind that callers branch on; kIo for all that has none of its own.
[[nodiscard]] ErrorKind kind_of_errno(int os_errno);

/// "PATH: cannot VERB: reason of the system", of an empty path "'': cannot VERB: reason"; PATH is
/// what VERB is done to, so VERB ends in no preposition. A raise site as Error() itself is one:
/// `code` is its own and never reused.
/// @param verb  what was attempted, lower case ("open", "sync")
[[nodiscard]] Error os_error(std::uint16_t code, int os_errno, std::string_view verb,
                             const std::string& path);

/// Repeats a system call while a signal interrupts it. Returns what the call returns.
template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

}  // namespace dgfs::storage
