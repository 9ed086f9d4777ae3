// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The permissions of all that a delta consists of. Its files hold the contents of changed files as
// they are, also of those that the mount shows to nobody but their owner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::delta {

inline constexpr std::uint32_t kPrivateFile = 0600;
inline constexpr std::uint32_t kPrivateDirectory = 0700;
/// Permissions of all users but the owner.
inline constexpr std::uint32_t kOthersMask = 0077;

/// Makes a file that only its owner may open, and opens it for reading and writing. Errors: those
/// of Directory::create_file().
[[nodiscard]] inline Result<std::unique_ptr<storage::File>> create_private(
    storage::Env& env, const std::string& path) {
  DGFS_TRY(directory, env.open_directory(storage::parent_path(path)));
  return directory->create_file(storage::base_name(path), kPrivateFile);
}

}  // namespace dgfs::delta
