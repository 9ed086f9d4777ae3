// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Turns a lack of memory into an error of the call.
#pragma once

#include <new>

#include "base/result.h"

namespace dgfs::view {

/// Makes a call that has no effect if it throws. Errors: those of the call; kLimit (out of memory).
/// Throws std::bad_alloc only if there is no memory for the error either.
template <class Call>
auto whole_or_refused(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7369, "not enough memory");
  }
}

}  // namespace dgfs::view
