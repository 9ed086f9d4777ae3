// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Decides what a user may do with an entry of an image, as the kernel decides it on a mount.
#pragma once

#include <cstdint>

#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::tools {

enum class Access : std::uint8_t { kExecute = 1, kWrite = 2, kRead = 4 };

/// Decides by owner, mode and access control list; directories above do not count. Files,
/// directories and links cannot be written, because images are read-only; devices, FIFOs and
/// sockets can. Takes one more read if the entry has extended attributes; unreadable ones count as
/// absent.
/// @param node  not a symbolic link: links have no permissions of their own
[[nodiscard]] bool may_access(const reader::Image& image, const reader::Node& node,
                              const storage::Caller& caller, Access wanted);

}  // namespace dgfs::tools
