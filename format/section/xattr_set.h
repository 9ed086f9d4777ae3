// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Xattr sets: all extended attributes of an entry, among them POSIX ACLs ("system.posix_acl_*") and
// file capabilities ("security.capability"). Entries with equal sets share one record.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

/// @param xattrs  sorted by name; names are distinct and have 1 to kXattrNameBytesMax bytes
void encode_xattr_set(const std::vector<Xattr>& xattrs, Buffer& out);
/// Errors: kCorrupt (order, lengths), kLimit.
[[nodiscard]] Result<std::vector<Xattr>> decode_xattr_set(Bytes body);

}  // namespace dgfs::format
