// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sizes and bounds of docs/FORMAT.md. A decoder refuses data that exceeds them; a builder refuses
// inputs that would make such data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dgfs::format {

/// Unit of an index read: one page, one device block of common SSDs.
inline constexpr std::size_t kPageBytes = 4096;
/// Linux NAME_MAX; every source file system keeps it.
inline constexpr std::size_t kNameBytesMax = 255;
/// Longest path key. It exceeds PATH_MAX, since such trees exist and openat reaches them.
inline constexpr std::size_t kKeyBytesMax = 65535;
/// Symlink targets up to this length are stored in the page, longer ones in the side section: a
/// page must always have room for one entry with the longest name.
inline constexpr std::size_t kInlineTargetBytesMax = 255;
/// PATH_MAX - 1, the longest target that symlink(2) accepts.
inline constexpr std::size_t kTargetBytesMax = 4095;
/// Content under one checksum: a random read of a large file must read and verify this much.
inline constexpr std::size_t kFrameBytes = 65536;
inline constexpr std::size_t kChecksumBytes = 8;
/// Checksum and content of a whole frame of a raw extent.
inline constexpr std::size_t kStoredFrameBytes = kChecksumBytes + kFrameBytes;
/// Most content of a fragment frame, which small files share: a read of one file decodes all of it.
inline constexpr std::size_t kFragmentFrameBytesMax = std::size_t{64} << 10;

/// Largest file size: lseek(2) can address no more.
inline constexpr std::uint64_t kFileBytesMax = (std::uint64_t{1} << 63) - 1;
/// The nanoseconds of a time are below this (F-154).
inline constexpr std::uint64_t kNanosecondsEnd = 1'000'000'000;
/// Most entries of a page: bounds the memory that a decoder allocates for 4 KiB of input.
inline constexpr std::size_t kPageEntriesMax = 16384;
/// Most bytes of a decoded page payload, for the same reason.
inline constexpr std::size_t kPageDecodedBytesMax = 1 << 20;
/// Most combinations of one attribute table; a builder starts a further table beyond that.
inline constexpr std::size_t kAttributeTableEntriesMax = 65536;
/// Most bytes of one model. All models of an index together are small.
inline constexpr std::size_t kModelBytesMax = 1 << 20;
/// XATTR_NAME_MAX and XATTR_SIZE_MAX of Linux.
inline constexpr std::size_t kXattrNameBytesMax = 255;
inline constexpr std::size_t kXattrValueBytesMax = 65536;
/// XATTR_LIST_MAX: bounds the names of one entry, and so their number.
inline constexpr std::size_t kXattrListBytesMax = 65536;
/// Most segments of a sparse file. 2^20 holes are a stated extreme; with more than 2^24, the map
/// would be larger than most files.
inline constexpr std::size_t kSparseSegmentsMax = std::size_t{1} << 24;
/// Body of a link block: a read of the names of one object decodes this much.
inline constexpr std::size_t kLinkBlockBytesMax = 4096;
/// Zone of link records; every smaller number is a namespace.
inline constexpr std::uint64_t kLinkZone = ~std::uint64_t{0};

}  // namespace dgfs::format
