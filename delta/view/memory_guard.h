// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A lack of memory becomes an error of the call that met it.
#pragma once

#include <new>

#include "base/result.h"

namespace dgfs::view {

/// The result of a call that has changed nothing where it throws. Errors: kLimit (no memory). It
/// throws std::bad_alloc only where there is no memory for the error either.
template <class Call>
auto whole_or_refused(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7369, "no memory for it");
  }
}

}  // namespace dgfs::view
