// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The notice before digests of long holes are made: hashing their zeros takes minutes, although
// nothing is read or written for them.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/section/digest.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// Below this total, holes are hashed without a notice.
inline constexpr std::uint64_t kHoleNoticeBytes = std::uint64_t{16} << 30;

/// If there are many bytes of holes to hash, says on the error output how many and about how long
/// that takes. To estimate the time, hashes for some hundredths of a second.
/// @param jobs    threads that hash; 0: one per core
/// @param advice  how to avoid the hashing, for the end of the message
void tell_of_holes(const Session& session, const format::LongHoles& holes, unsigned jobs,
                   std::string_view advice);

}  // namespace dgfs::tools
