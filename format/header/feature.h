// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The version of the format that this program knows, and the feature words of header pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dgfs::format {

inline constexpr std::uint16_t kVersionMajor = 1;
inline constexpr std::uint16_t kVersionMinor = 0;

/// Feature words. A reader ignores unknown compat bits; a writer refuses unknown ro_compat bits; a
/// reader refuses unknown incompat bits. Names are for messages ("needs feature ...").
namespace feature {
inline constexpr std::uint64_t kCompatXattrs = 1;            ///< some entry has xattrs
inline constexpr std::uint64_t kCompatAcls = 2;              ///< some entry has a POSIX ACL
inline constexpr std::uint64_t kCompatIncomplete = 4;        ///< built with losses (--keep-going)
inline constexpr std::uint64_t kCompatLinkNames = 8;         ///< names of linked objects are listed
inline constexpr std::uint64_t kIncompatZstdExtents = 1;     ///< some extent is compressed
inline constexpr std::uint64_t kIncompatVolumes = 2;         ///< more than one volume
inline constexpr std::uint64_t kIncompatFragmentFrames = 4;  ///< some files share a frame
inline constexpr std::uint64_t kIncompatContextModels = 8;   ///< some model is one with contexts
inline constexpr std::uint64_t kIncompatForeignVolumes = 16;    ///< some volume is another image's
inline constexpr std::uint64_t kIncompatGaps = 32;              ///< some page has gaps in its sum
inline constexpr std::uint64_t kIncompatSplitInodes = 64;       ///< Numbering::kSplit
inline constexpr std::uint64_t kIncompatNamelessObjects = 128;  ///< some object has no name
inline constexpr std::uint64_t kCompatKnown = 15;               ///< all compat bits above
inline constexpr std::uint64_t kRoCompatKnown = 0;              ///< likewise
inline constexpr std::uint64_t kIncompatKnown = 255;            ///< likewise
}  // namespace feature

/// @{
/// Names of the set bits of a word, such as "zstd-extents"; "bit 7" for an unknown bit.
[[nodiscard]] std::vector<std::string> compat_names(std::uint64_t bits);
[[nodiscard]] std::vector<std::string> ro_compat_names(std::uint64_t bits);
[[nodiscard]] std::vector<std::string> incompat_names(std::uint64_t bits);
/// @}

}  // namespace dgfs::format
