// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Encodes extended attributes of the source as sets (format/section/xattr_set.h).
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::builder {

/// Encodes the xattrs that a File or Directory returned; empty if there are none. Errors: kLimit if
/// the system returned more than the format holds.
[[nodiscard]] Result<Buffer> encode_source_xattrs(const std::vector<Xattr>& xattrs);

/// Whether an encoded set holds a POSIX ACL.
[[nodiscard]] bool holds_acl(Bytes encoded_set);

}  // namespace dgfs::builder
