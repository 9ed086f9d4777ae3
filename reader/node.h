// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What an image says of its entries, and of itself, as values.
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

/// An entry with its attributes resolved (link record applied, times defaulted). A value: it stays
/// good for the image it came from, and outlives it.
struct Node {
  InodeNumber inode = 0;         ///< stable, 1 = root
  Ordinal ordinal = 0;           ///< place of its (first) name in key order
  Ordinal object_ordinal = 0;    ///< the same, but of a hard link that of its link record
  std::uint32_t mode = 0;        ///< type and permissions, format/entry/mode.h
  std::uint32_t uid = 0;         ///< owner
  std::uint32_t gid = 0;         ///< group
  std::uint64_t link_count = 1;  ///< directories: 2 + subdirectories
  std::uint64_t size_bytes = 0;  ///< files, symlinks; directories: kPageBytes
  std::uint64_t rdev = 0;        ///< device nodes: number in Linux's dev_t encoding
  Time mtime;                    ///< last change of the contents
  Time ctime;                    ///< mtime where the image keeps none
  Time atime;                    ///< likewise
  // Where the content is.
  format::DataAddress data;                               ///< regular files: of the extent
  std::uint64_t stored_bytes = 0;                         ///< likewise, checksums included
  format::ExtentCodec codec = format::ExtentCodec::kRaw;  ///< likewise
  /// Set: the extent is a frame that small files share; where in its content this file's begins.
  std::optional<std::uint32_t> fragment_offset;
  std::string target;           ///< symlinks of at most kInlineTargetBytesMax bytes
  format::SideRef long_target;  ///< symlinks, otherwise
  format::SideRef xattrs;       ///< where it has any
  format::SideRef sparse_map;   ///< regular files with holes
};

/// Bytes of a regular file that are not holes, as the node says: of one with holes that is
/// compressed they stand in its sparse map alone, which is not worth a read, so the stored bytes
/// take their place. 0 of anything else. Never above the size.
[[nodiscard]] std::uint64_t data_bytes(const Node& node);

/// One name in a directory, as list() reports it. Does not outlive the call that it is given to;
/// for one thread.
struct ListedName {
  std::uint64_t position = 0;  ///< 0-based place in the directory; rises by one
  std::string_view name;       ///< valid during the call
  InodeNumber inode = 0;       ///< as in Node
  std::uint32_t mode = 0;      ///< type bits are right; permission bits are 0 for hard links
};

/// A name of an object: where it stands, and how it reads. A value.
struct ObjectName {
  InodeNumber directory = 0;  ///< that it is in
  std::string name;           ///< without a slash
  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};

/// Names of a directory that list() and list_nodes() cannot tell, or not with their attributes, and
/// go on behind. Does not outlive the call that it is given to; for one thread.
struct LostNames {
  std::uint64_t first_position = 0;  ///< 0-based place in the directory of the first one
  std::uint64_t count = 0;           ///< how many they are; known although they are not
  /// Set: the name is known, and only its attributes are lost. `count` is 1 then.
  const ListedName* name = nullptr;
  /// Numbers of the directories among the lost names: what they hold can be listed all the same,
  /// and path_of() tells where they are if they hold something.
  std::vector<InodeNumber> directories;
  /// Tells the place, and how many names stand in the page or whose attributes are lost. The same
  /// words for each directory that has names in the page.
  const Error& error;
};

/// Where a piece of content lies on the device, for diagnosis. A value.
struct Place {
  std::string file;                ///< path
  std::uint64_t offset_bytes = 0;  ///< in the file
};

/// A model or an attribute table of an index: one of its generations. A value.
struct Generation {
  std::uint16_t id = 0;    ///< by which pages name it
  std::uint64_t size = 0;  ///< of a model its bytes, of a table its attribute combinations
};

}  // namespace dgfs::reader
