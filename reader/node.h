// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Values that an image returns: its entries, names, places and generations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "format/entry/entry.h"

namespace dgfs::reader {

using format::InodeNumber;
using format::Ordinal;

/// An entry with its attributes resolved (link record applied, times defaulted). A value: it
/// outlives the image it came from, and calls of that image take it at any time.
struct Node {
  InodeNumber inode = 0;         ///< stable, 1 = root
  Ordinal ordinal = 0;           ///< place of the name in key order
  Ordinal object_ordinal = 0;    ///< for a hard link, place of its link record; else `ordinal`
  std::uint32_t mode = 0;        ///< type and permissions, format/entry/mode.h
  std::uint32_t uid = 0;         ///< owner
  std::uint32_t gid = 0;         ///< group
  std::uint64_t link_count = 1;  ///< directories: 2 + subdirectories
  std::uint64_t size_bytes = 0;  ///< files, symlinks; directories: kPageBytes
  std::uint64_t rdev = 0;        ///< device nodes: number in Linux's dev_t encoding
  Time mtime;                    ///< last change of the contents
  Time ctime;                    ///< mtime if the image keeps no ctime
  Time atime;                    ///< likewise
  // Place of the content.
  format::DataAddress data;                               ///< regular files: address of the extent
  std::uint64_t stored_bytes = 0;                         ///< regular files, with checksums
  format::ExtentCodec codec = format::ExtentCodec::kRaw;  ///< likewise
  /// Set if the extent is a fragment frame, shared by small files: where this file's content begins
  /// in the content of the frame.
  std::optional<std::uint32_t> fragment_offset;
  std::string target;           ///< symlinks of at most kInlineTargetBytesMax bytes
  format::SideRef long_target;  ///< symlinks, otherwise
  format::SideRef xattrs;       ///< set if the entry has xattrs
  format::SideRef sparse_map;   ///< regular files with holes
};

/// Bytes of a regular file without its holes, as far as the node tells; 0 for other types; at most
/// the size. Approximate for a compressed file with holes: the exact number stands only in its
/// sparse map, so the stored bytes are returned without a read.
[[nodiscard]] std::uint64_t data_bytes(const Node& node);

/// Bytes of a volume. A value.
struct StoredRange {
  format::VolumeNumber volume = 0;  ///< 0: the image itself
  std::uint64_t offset_bytes = 0;   ///< from the start of the volume
  std::uint64_t length_bytes = 0;   ///< 0: none
};

/// The bytes of a volume that hold content bytes [begin_bytes, end_bytes) of a regular file, which
/// must lie in the file. The checksum of a frame counts with the frame's first content byte.
/// nullopt for files that are compressed or have holes, and for other types.
[[nodiscard]] std::optional<StoredRange> stored_range(const Node& node, std::uint64_t begin_bytes,
                                                      std::uint64_t end_bytes);

/// One name in a directory, as list() reports it. Valid during the call that it is given to, which
/// it does not outlive; for one thread.
struct ListedName {
  std::uint64_t position = 0;  ///< 0-based place in the directory; rises by one
  std::string_view name;       ///< valid during the call
  InodeNumber inode = 0;       ///< stable, 1 = root
  std::uint32_t mode = 0;      ///< type bits are right; permission bits are 0 for hard links
};

/// A name of an object, with its directory. A value.
struct ObjectName {
  InodeNumber directory = 0;  ///< directory with the name
  std::string name;           ///< without a slash
  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};

/// Names of a directory that list() or list_nodes() cannot report, or cannot report with
/// attributes. Valid during the call that it is given to, which it does not outlive; for one
/// thread.
struct LostNames {
  std::uint64_t first_position = 0;  ///< 0-based place of the first one in the directory
  std::uint64_t count = 0;           ///< number of lost names; always exact
  /// Set if the name is known and only its attributes are lost; `count` is 1 then.
  const ListedName* name = nullptr;
  /// Inode numbers of the directories among the lost names. Their contents can still be listed, and
  /// path_of() still gives their paths unless they are empty.
  std::vector<InodeNumber> directories;
  /// Says where the damage is, and how many names stand in the damaged page or which entry has lost
  /// its attributes. Has the same text for each directory with names in that page.
  const Error& error;
};

/// Place of a byte of content on the device, for diagnosis. A value.
struct Place {
  std::string file;                ///< path of the volume
  std::uint64_t offset_bytes = 0;  ///< offset in `file`
};

/// A model or an attribute table of an index: one of its generations. A value.
struct Generation {
  std::uint16_t id = 0;    ///< pages refer to it by this number
  std::uint64_t size = 0;  ///< bytes of a model, attribute combinations of a table
};

}  // namespace dgfs::reader
