// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// mount -o remount: other flags for what is mounted already. No request tells the server of it.
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
/// Whether an option is no mount's own, but may come with a remount: remount, ro, rw, and those
/// that the kernel shows of a FUSE mount, which mount(8) hands back.
[[nodiscard]] bool is_of_remount(std::string_view option);
/// What the last of ro and rw asks for; nullopt: neither is there.
[[nodiscard]] std::optional<bool> wants_read_only(std::span<const std::string> options);

/// Whether remount() would change more than whether the mount is read-only: mount(8) hands back
/// the flags that there are, and adds rw unasked.
/// Errors: kNotFound (nothing of ours is mounted there), those of reading the mount table.
[[nodiscard]] Result<bool> changes_flags(storage::Env& env, const std::string& mount_point,
                                         std::span<const std::string> options);

/// Gives the mount on a directory the flags that it has, changed by the options that are flags (ro,
/// rw, nosuid, nodev, noexec, and their contraries). All other options are left out: what the
/// server was given it keeps, and mount(8) adds all that its tables have. Before a mount becomes
/// read-only the kernel sends what it has kept of writes.
/// Errors: kNotFound (nothing of ours is mounted there), kPermission, kIo (EBUSY: a file is open
/// for writing).
[[nodiscard]] Status remount(storage::Env& env, const std::string& mount_point,
                             std::span<const std::string> options);

}  // namespace dgfs::fuse
