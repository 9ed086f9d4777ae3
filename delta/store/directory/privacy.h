// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Privacy: keeps a delta to its owner. Its files hold the contents of all changed files as they
// are, also of those that the mount shows to nobody else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::delta {

/// The findings of make_private(). A value.
struct Privacy {
  std::uint64_t tightened = 0;   ///< directories and files that others had permissions for
  std::optional<Error> refused;  ///< the first refusal of the system to change one of them

  /// One line for the user; empty if there was nothing to change.
  /// @param name  of the delta
  [[nodiscard]] std::string text(const std::string& name) const;
};

/// Takes all permissions of group and others from the directory of a delta, and from all in it that
/// belongs to the delta. Follows no link inside the directory. Cost: a call of the system for each
/// file, and one for each change. Errors: kNotFound, kIo, kPermission (the directory cannot be
/// read). A mode that the system does not let change is no error: see Privacy::refused.
[[nodiscard]] Result<Privacy> make_private(storage::Env& env, const std::string& directory);

}  // namespace dgfs::delta
