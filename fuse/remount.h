// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// mount -o remount: changes the flags of an existing mount. The server gets no request about it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// Whether -o options, each already split at its commas, ask for a remount.
[[nodiscard]] bool is_remount(std::span<const std::string> options);
/// Whether an option may come with a remount but not with a mount: remount, ro, rw, and the options
/// that the kernel shows for FUSE mounts, which mount(8) passes back.
[[nodiscard]] bool is_of_remount(std::string_view option);
/// The last of ro and rw: true for ro; nullopt: neither is given.
[[nodiscard]] std::optional<bool> wants_read_only(std::span<const std::string> options);

/// Whether remount() would change other flags than ro and rw. mount(8) passes back the existing
/// flags, and adds rw unasked.
/// Errors: kNotFound (no mount of ours is there), those of reading the mount table.
[[nodiscard]] Result<bool> changes_flags(storage::Env& env, const std::string& mount_point,
                                         std::span<const std::string> options);

/// Sets the flags of the mount on a directory: its present flags, changed by the options that are
/// flags (ro, rw, nosuid, nodev, noexec, and their opposites). Ignores all other options: the
/// server keeps those that it was started with, and mount(8) passes all that its tables have.
/// Before a mount becomes read-only, the kernel sends the writes that it has cached. Errors:
/// kNotFound (no mount of ours is there), kPermission, kIo (EBUSY: a file is open for writing).
[[nodiscard]] Status remount(storage::Env& env, const std::string& mount_point,
                             std::span<const std::string> options);

}  // namespace dgfs::fuse
