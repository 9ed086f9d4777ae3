// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What an access ACL gives the group of a file. Where there is an ACL, the group bits of the mode
// are its mask, the most that it gives to anybody but owner and others.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace dgfs::reader {

/// @param acl  the value of a "system.posix_acl_access" (acl(5), linux/posix_acl_xattr.h)
/// @return  bits 0 to 7; nullopt where it is not such a value
[[nodiscard]] std::optional<std::uint32_t> group_bits_of_acl(Bytes acl);

}  // namespace dgfs::reader
