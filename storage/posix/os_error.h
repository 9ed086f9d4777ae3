// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes Errors of errno: the only place where the operating system's numbers become our kinds.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace dgfs::storage {

/// The kind on which callers branch; kIo for all numbers without a kind of their own.
[[nodiscard]] ErrorKind kind_of_errno(int os_errno);

/// Makes "PATH: cannot VERB: reason of the system"; an empty path becomes "''". PATH is the object
/// of VERB, so VERB ends without a preposition. Each call is a raise site, as with Error() itself:
/// it has its own `code`, which is never reused.
/// @param verb  the action attempted, lower case ("open", "sync")
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
