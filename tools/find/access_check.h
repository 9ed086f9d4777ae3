// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a user may do with an entry of an image, as the kernel judges it on a mount.
#pragma once

#include <cstdint>

#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::tools {

enum class Access : std::uint8_t { kExecute = 1, kWrite = 2, kRead = 4 };

/// By owner, mode and access control list; directories above do not count. Files, directories and
/// links cannot be written, since images are only read; devices, FIFOs and sockets can. One read
/// more where the entry has extended attributes; those that cannot be read count as absent.
/// @param node  no symbolic link, which has no permissions of its own
[[nodiscard]] bool may_access(const reader::Image& image, const reader::Node& node,
                              const storage::Caller& caller, Access wanted);

}  // namespace dgfs::tools
