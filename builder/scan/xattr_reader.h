// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads extended attributes of the source, and encodes them as sets (format/section/xattr_set.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// The encoded xattrs of an entry, and reasons why some are missing. A value.
struct SourceXattrs {
  Buffer set;               ///< empty if there are none
  std::vector<Error> lost;  ///< empty if none is missing
};

/// Whether an attribute that cannot be read fails the call, or is left out.
enum class OnUnreadable : std::uint8_t { kFail, kLeaveOut };

/// Reads the xattrs of an open file. Errors: kIo, kPermission; kLimit if there are more than the
/// format holds. None of them with kLeaveOut.
[[nodiscard]] Result<SourceXattrs> read_source_xattrs(const storage::File& file, OnUnreadable how);
/// The same for `name` of `directory`, or for the directory itself if it is empty.
[[nodiscard]] Result<SourceXattrs> read_source_xattrs(const storage::Directory& directory,
                                                      std::string_view name, OnUnreadable how);

/// Whether an encoded set holds a POSIX ACL.
[[nodiscard]] bool holds_acl(Bytes encoded_set);

}  // namespace dgfs::builder
