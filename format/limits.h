// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sizes and bounds that docs/FORMAT.md states. A decoder refuses what exceeds them; a builder
// refuses inputs that would.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dgfs::format {

/// Unit of an index read: one page, one device block of common SSDs.
inline constexpr std::size_t kPageBytes = 4096;
/// Linux NAME_MAX; every source file system keeps it.
inline constexpr std::size_t kNameBytesMax = 255;
/// Longest path key. Longer than PATH_MAX: such trees exist, and openat reaches them.
inline constexpr std::size_t kKeyBytesMax = 65535;
/// Symlink targets up to this length stand in the page, longer ones in the side section: a page
/// must always have room for one entry with the longest name.
inline constexpr std::size_t kInlineTargetBytesMax = 255;
/// PATH_MAX - 1, what symlink(2) accepts.
inline constexpr std::size_t kTargetBytesMax = 4095;
/// Content covered by one checksum: what a random read of a large file must read and verify.
inline constexpr std::size_t kFrameBytes = 65536;
inline constexpr std::size_t kChecksumBytes = 8;
/// Both: a whole frame of a raw extent.
inline constexpr std::size_t kStoredFrameBytes = kChecksumBytes + kFrameBytes;
/// Content of a fragment frame, which small files share: what a read of one of them decodes.
inline constexpr std::size_t kFragmentFrameBytesMax = std::size_t{64} << 10;

/// A file size that lseek(2) can address.
inline constexpr std::uint64_t kFileBytesMax = (std::uint64_t{1} << 63) - 1;
/// A time's nanoseconds are less (F-154).
inline constexpr std::uint64_t kNanosecondsEnd = 1'000'000'000;
/// Entries a page may hold: bounds what a decoder allocates for 4 KiB of input.
inline constexpr std::size_t kPageEntriesMax = 16384;
/// Decoded size of a page payload, likewise.
inline constexpr std::size_t kPageDecodedBytesMax = 1 << 20;
/// Combinations in one attribute table; a builder starts a further table beyond it.
inline constexpr std::size_t kAttributeTableEntriesMax = 65536;
/// Bytes of all models of an index together are small; one model is bounded so.
inline constexpr std::size_t kModelBytesMax = 1 << 20;
/// XATTR_NAME_MAX and XATTR_SIZE_MAX of Linux.
inline constexpr std::size_t kXattrNameBytesMax = 255;
inline constexpr std::size_t kXattrValueBytesMax = 65536;
/// XATTR_LIST_MAX bounds the names of one entry, and so their number.
inline constexpr std::size_t kXattrListBytesMax = 65536;
/// Segments of a sparse file: 2^20 holes are a stated extreme; beyond 2^24 a map would be larger
/// than most files.
inline constexpr std::size_t kSparseSegmentsMax = std::size_t{1} << 24;
/// Body of a link block: what a read of the names of one object decodes.
inline constexpr std::size_t kLinkBlockBytesMax = 4096;
/// Zone of link records; every smaller number is a namespace.
inline constexpr std::uint64_t kLinkZone = ~std::uint64_t{0};

}  // namespace dgfs::format
