// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extended attributes from the source to encoded sets (format/section/xattr_set.h).
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::builder {

/// Encodes what a File or Directory returned; empty for no attributes. Errors: kLimit where the
/// system gave more than the format holds.
[[nodiscard]] Result<Buffer> encode_source_xattrs(const std::vector<Xattr>& xattrs);

/// Whether an encoded set holds a POSIX ACL.
[[nodiscard]] bool holds_acl(Bytes encoded_set);

}  // namespace dgfs::builder
