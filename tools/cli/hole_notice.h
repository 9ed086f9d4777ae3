// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What is said before digests of long holes are made: nothing is read or written for them, yet they
// take minutes.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/section/digest.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// Holes of less in all are hashed without a word.
inline constexpr std::uint64_t kHoleNoticeBytes = std::uint64_t{16} << 30;

/// Says on the error output how much of holes is to be hashed and about how long that takes, if it
/// is much. Measures how fast this machine hashes, for some hundredths of a second.
/// @param jobs    threads that hash; 0: one per core
/// @param advice  how to do without, for the end of the message
void tell_of_holes(const Session& session, const format::LongHoles& holes, unsigned jobs,
                   std::string_view advice);

}  // namespace dgfs::tools
