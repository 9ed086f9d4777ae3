// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names that a destination has already.
#pragma once

#include <string_view>

#include "reader/extract/options.h"
#include "storage/directory.h"

namespace dgfs::reader {

/// Makes an object by `make`. If its name is taken and may be replaced, removes the object there
/// and calls `make` again. Errors: those of `make`, and of removing.
template <class Make>
[[nodiscard]] Status make_over(ExistingNames existing, storage::Directory& directory,
                               std::string_view name, const Make& make) {
  Status made = make();
  if (made || existing != ExistingNames::kReplace || made.error().kind() != ErrorKind::kExists) {
    return made;
  }
  auto removed = directory.remove(name);
  if (!removed && removed.error().kind() != ErrorKind::kNotFound) return removed;
  return make();
}

}  // namespace dgfs::reader
