// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Entry: one record of the index as a value, whatever page codec stores it. Entries of zone 0 are
// names of the tree; entries of the link zone carry the attributes of multiply linked objects
// under the key BE64(inode number).
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

/// A record in one of the side sections, addressed by bytes so that one read fetches it.
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
  /// Full path key (format/entry/key.h); in a DecodedPage relative to the page's prefix.
  std::string key;
  std::uint32_t mode = 0;     ///< type and permissions, format/entry/mode.h
  std::uint32_t uid = 0;      ///< owner
  std::uint32_t gid = 0;      ///< group
  Time mtime;                 ///< last change of the contents
  std::optional<Time> ctime;  ///< only where it differs from mtime by design (went through a delta)
  std::optional<Time> atime;  ///< only where it was set explicitly

  /// Regular files: logical length. Symlinks: length of the target. Else 0.
  std::uint64_t size_bytes = 0;

  /// Regular files: bytes the extent takes in its volume, checksums included. For raw extents of
  /// files without a sparse map it follows from size_bytes (raw_extent_bytes) and costs nothing.
  std::uint64_t stored_bytes = 0;
  ExtentCodec codec = ExtentCodec::kRaw;  ///< of the extent
  /// Set: the extent is here, and the page's running sum does not advance. Unset: it lies at the
  /// page's first offset plus the running sum of the entries before it (extent_offset()).
  std::optional<DataAddress> address;
  /// Set: the extent is a fragment frame, which small files share, and the content begins here in
  /// what it decodes to. Of the files that share a frame in the running sum, the one at 0 comes
  /// first and advances the sum; the others have the same stored_bytes.
  std::optional<std::uint32_t> fragment_offset;

  /// A name of a multiply linked object: its inode number; attributes (all other fields but
  /// stored_bytes) are then those of the link record. 0: not a link.
  /// A namespace entry that is a link has only key, type bits of mode, and - on the one name
  /// whose data lies in the running sum - stored_bytes.
  InodeNumber link_inode = 0;
  /// Link records only: names of the object in the tree, at least 1.
  std::uint32_t link_count = 0;

  std::uint64_t rdev = 0;  ///< device nodes
  std::string target;      ///< symlinks, when it is at most kInlineTargetBytesMax long
  SideRef long_target;     ///< symlinks, otherwise
  SideRef xattrs;          ///< where it has any
  SideRef sparse_map;      ///< regular files with holes

  friend bool operator==(const Entry&, const Entry&) = default;
};

/// By what the page's running sum advances behind `entry`.
[[nodiscard]] inline std::uint64_t running_bytes(const Entry& entry) {
  return entry.address || entry.fragment_offset.value_or(0) != 0 ? 0 : entry.stored_bytes;
}
/// Where the extent of an `entry` without an address begins, from the page's first offset, modulo
/// 2^64. @param running_sum  of the entries before it
[[nodiscard]] inline std::uint64_t extent_offset(const Entry& entry, std::uint64_t running_sum) {
  return entry.fragment_offset.value_or(0) == 0 ? running_sum : running_sum - entry.stored_bytes;
}

}  // namespace dgfs::format
