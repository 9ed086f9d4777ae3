// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Objects of a view and their attributes: files, directories, symlinks and others, each with a
// number of its own. An object of the image has its inode number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/entry/entry.h"
#include "format/entry/mode.h"

namespace dgfs::view {

/// 1: the root; 0: none. Never used again.
using ObjectNumber = std::uint64_t;

inline constexpr ObjectNumber kRoot = format::kRootInode;

/// Unit of Attributes::blocks.
inline constexpr std::uint64_t kBlockBytes = 512;
/// The number of blocks for so many bytes.
[[nodiscard]] constexpr std::uint64_t blocks_of(std::uint64_t bytes) {
  return bytes / kBlockBytes + (bytes % kBlockBytes != 0 ? 1 : 0);
}

/// Attributes as in stat(2). A value.
struct Attributes {
  std::uint32_t mode = 0;        ///< type and permissions, format/entry/mode.h
  std::uint32_t uid = 0;         ///< owner
  std::uint32_t gid = 0;         ///< group
  std::uint64_t link_count = 0;  ///< directories: 2 + subdirectories; 0: unlinked
  std::uint64_t size_bytes = 0;  ///< files; symlinks: of the target; directories: a constant
  std::uint64_t blocks = 0;      ///< 512-byte blocks of the content
  std::uint64_t rdev = 0;        ///< device nodes: number in Linux's dev_t encoding
  std::uint64_t children = 0;    ///< directories: names in it
  Time mtime;                    ///< last change of the contents
  Time ctime;                    ///< last change of anything
  Time atime;                    ///< as it was set; reading does not change it

  friend bool operator==(const Attributes&, const Attributes&) = default;
};

/// The object of a name. A value.
struct Entry {
  ObjectNumber object = 0;
  Attributes attributes;
};

/// One name of a directory. Valid only during the call that gets it.
struct ListedName {
  std::string_view name;
  ObjectNumber object = 0;
  std::uint32_t type = 0;  ///< as in Attributes::mode
};

/// The user who makes an object. A value.
struct Credentials {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t umask = 0;  ///< bits to be cleared; not used if a default list applies
};

/// The type and permissions of a new object. A value.
struct NewObject {
  std::uint32_t mode = format::kTypeRegular | 0644;  ///< of any type but directory and symlink
  std::uint64_t rdev = 0;                            ///< of device nodes
};

/// The attributes to set; all others stay. A value.
struct AttributeChange {
  std::optional<std::uint32_t> permissions;  ///< 12 bits
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  std::optional<Time> mtime;
  std::optional<Time> atime;
  /// Of a regular file: bytes behind it are cut off, and new bytes are zeros.
  std::optional<std::uint64_t> size_bytes = std::nullopt;
  /// These permission bits are cleared, whatever else is changed.
  std::uint32_t cleared_permissions = 0;
  /// The file's capabilities ("security.capability") are removed, if it has any.
  bool drops_capabilities = false;
  std::optional<Time> ctime = std::nullopt;  ///< none: now
};

/// Bytes that were added at the end of a file. A value.
struct Appended {
  std::uint64_t offset_bytes = 0;  ///< of the first
  std::size_t length_bytes = 0;
};

/// An object that lost its last name, or never had one, and goes on. A value.
struct Orphan {
  ObjectNumber object = 0;
  Time since;  ///< when it lost the name, if no record tells; else any time
};

/// How zero() treats the size, as in fallocate(2).
enum class ZeroMode : std::uint8_t {
  kKeepSize,  ///< the size stays, even if the range ends behind it
  kGrow,      ///< the file grows to the end of the range
};

/// How rename() treats an object at the new name, as in renameat2(2).
enum class RenameMode : std::uint8_t {
  kReplace,    ///< the object loses the name
  kNoReplace,  ///< the name must be free: kExists
  kExchange,   ///< the object gets the old name
};

/// The result of a rename. A value.
struct Renamed {
  ObjectNumber object = 0;  ///< has the new name
  /// The object that had the new name; with link count 0 it goes on until it is released. Object 0:
  /// the name was free, or belonged to the same object; then nothing changes.
  Entry replaced;
};

/// How set_xattr() treats the name, as in setxattr(2).
enum class XattrMode : std::uint8_t {
  kSet,      ///< made, or replaced
  kCreate,   ///< must not exist: kExists
  kReplace,  ///< must exist: kNoAttribute
};

}  // namespace dgfs::view
