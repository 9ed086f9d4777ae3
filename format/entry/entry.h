// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Entry: one record of the index as a value, independent of the page codec that stores it. Entries
// of zone 0 are names of the tree. Entries of the link zone carry the attributes of multiply linked
// objects under the key BE64(inode number).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"

namespace dgfs::format {

using InodeNumber = std::uint64_t;  ///< stable, 1 = root, 0 = none
using Ordinal = std::uint64_t;      ///< position in key order, 0 = root
using VolumeNumber = std::uint16_t;

inline constexpr InodeNumber kRootInode = 1;

/// Where an extent begins. A value.
struct DataAddress {
  VolumeNumber volume = 0;         ///< 0 = the image itself
  std::uint64_t offset_bytes = 0;  ///< from the start of the volume
  friend bool operator==(const DataAddress&, const DataAddress&) = default;
};

/// How the frames of an extent are stored (docs/FORMAT.md, extents).
enum class ExtentCodec : std::uint8_t { kRaw = 0, kZstd = 1 };

/// A record in one of the side sections. It has a byte address, so that one read fetches it.
/// A value.
struct SideRef {
  std::uint64_t offset_bytes = 0;  ///< from the start of the section
  std::uint32_t length_bytes = 0;  ///< checksum included; 0 = no record
  /// Whether there is a record.
  [[nodiscard]] bool present() const { return length_bytes != 0; }
  friend bool operator==(const SideRef&, const SideRef&) = default;
};

/// One record of the index, decoded. A value.
struct Entry {
  /// Full path key (format/entry/key.h). In a DecodedPage it is relative to the page's prefix.
  std::string key;
  std::uint32_t mode = 0;     ///< type and permissions, format/entry/mode.h
  std::uint32_t uid = 0;      ///< owner
  std::uint32_t gid = 0;      ///< group
  Time mtime;                 ///< last change of the contents
  std::optional<Time> ctime;  ///< only if it differs from mtime by design (went through a delta)
  std::optional<Time> atime;  ///< only if it was set explicitly

  /// Regular files: logical length. Symlinks: length of the target. Others: 0.
  std::uint64_t size_bytes = 0;

  /// Regular files: bytes that the extent takes in its volume, checksums included. For raw extents
  /// of files without a sparse map it follows from size_bytes (raw_extent_bytes) and takes no
  /// space.
  std::uint64_t stored_bytes = 0;
  ExtentCodec codec = ExtentCodec::kRaw;  ///< of the extent
  /// Set: the extent is here, and the page's running sum does not advance. Unset: the extent lies
  /// at the page's first offset plus the running sum of the entries before it (extent_offset()).
  std::optional<DataAddress> address;
  /// Without an address: so many bytes of the volume lie between the end of the running sum and the
  /// extent; usually of files that are gone. The sum advances over them, too.
  std::uint64_t gap_bytes = 0;
  /// Set: the extent is a fragment frame, which small files share. The content begins at this
  /// offset of the decoded frame. Of the files that share a frame in the running sum, the one at
  /// offset 0 comes first and advances the sum. The others have the same stored_bytes.
  std::optional<std::uint32_t> fragment_offset;

  /// A name of a multiply linked object: its inode number; 0: not such a name. The link record has
  /// the attributes. The name itself has only its key and the type bits of mode. One name of the
  /// object, the one whose data lies in the running sum, also has stored_bytes.
  InodeNumber link_inode = 0;
  /// Link records only: how many names the object has in the tree, at least 1.
  std::uint32_t link_count = 0;

  std::uint64_t rdev = 0;  ///< device nodes
  std::string target;      ///< symlinks, if it is at most kInlineTargetBytesMax long
  SideRef long_target;     ///< symlinks, otherwise
  SideRef xattrs;          ///< if it has any
  SideRef sparse_map;      ///< regular files with holes

  friend bool operator==(const Entry&, const Entry&) = default;
};

/// How much the page's running sum advances behind `entry`.
[[nodiscard]] inline std::uint64_t running_bytes(const Entry& entry) {
  const bool is_elsewhere = entry.address || entry.fragment_offset.value_or(0) != 0;
  return is_elsewhere ? 0 : entry.gap_bytes + entry.stored_bytes;
}
/// Offset of the extent of an `entry` without an address, from the page's first offset, modulo
/// 2^64.
/// @param running_sum  of the entries before it
[[nodiscard]] inline std::uint64_t extent_offset(const Entry& entry, std::uint64_t running_sum) {
  return entry.fragment_offset.value_or(0) == 0 ? running_sum + entry.gap_bytes
                                                : running_sum - entry.stored_bytes;
}

}  // namespace dgfs::format
