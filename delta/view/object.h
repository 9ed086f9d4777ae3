// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Objects of a view, and what is said of them: files, directories, symlinks and the rest, each with
// a number of its own. An object of the image has its inode number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/entry/entry.h"
#include "format/entry/mode.h"

namespace dgfs::view {

/// 1: the root; 0: none. Never given twice.
using ObjectNumber = std::uint64_t;

inline constexpr ObjectNumber kRoot = format::kRootInode;

/// Unit of Attributes::blocks.
inline constexpr std::uint64_t kBlockBytes = 512;
/// How many it takes to have so many bytes.
[[nodiscard]] constexpr std::uint64_t blocks_of(std::uint64_t bytes) {
  return bytes / kBlockBytes + (bytes % kBlockBytes != 0 ? 1 : 0);
}

/// As stat(2) tells. A value.
struct Attributes {
  std::uint32_t mode = 0;        ///< type and permissions, format/entry/mode.h
  std::uint32_t uid = 0;         ///< owner
  std::uint32_t gid = 0;         ///< group
  std::uint64_t link_count = 0;  ///< directories: 2 + subdirectories; 0: no name leads to it
  std::uint64_t size_bytes = 0;  ///< files; symlinks: of the target; directories: a constant
  std::uint64_t blocks = 0;      ///< of 512 bytes, that the content takes
  std::uint64_t rdev = 0;        ///< device nodes: number in Linux's dev_t encoding
  std::uint64_t children = 0;    ///< directories: names in it
  Time mtime;                    ///< last change of the contents
  Time ctime;                    ///< last change of anything
  Time atime;                    ///< as it was set; reading leaves it alone

  friend bool operator==(const Attributes&, const Attributes&) = default;
};

/// What a name leads to. A value.
struct Entry {
  ObjectNumber object = 0;
  Attributes attributes;
};

/// One name of a directory. Does not outlive the call that it is given to.
struct ListedName {
  std::string_view name;
  ObjectNumber object = 0;
  std::uint32_t type = 0;  ///< as in Attributes::mode
};

/// The user who makes something. A value.
struct Credentials {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t umask = 0;  ///< bits that it does not give; not used where a default list speaks
};

/// What an object made without contents is. A value.
struct NewObject {
  std::uint32_t mode = format::kTypeRegular | 0644;  ///< of any type but directory and symlink
  std::uint64_t rdev = 0;                            ///< of device nodes
};

/// What setattr changes; all else stays. A value.
struct AttributeChange {
  std::optional<std::uint32_t> permissions;  ///< 12 bits
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  std::optional<Time> mtime;
  std::optional<Time> atime;
  /// Of a regular file: what lies behind goes, and what it grows by are zeros.
  std::optional<std::uint64_t> size_bytes = std::nullopt;
  /// These bits of the permissions go, whatever else is changed.
  std::uint32_t cleared_permissions = 0;
  /// A file's capabilities go ("security.capability"), if it has some.
  bool drops_capabilities = false;
  std::optional<Time> ctime = std::nullopt;  ///< none: now
};

/// Bytes that were added at the end of a file. A value.
struct Appended {
  std::uint64_t offset_bytes = 0;  ///< of the first
  std::size_t length_bytes = 0;
};

/// How zero() treats the size; as fallocate(2).
enum class ZeroMode : std::uint8_t {
  kKeepSize,  ///< it stays, wherever the range ends
  kGrow,      ///< it reaches to the end of the range at least
};

/// How rename() treats the new name; as renameat2(2).
enum class RenameMode : std::uint8_t {
  kReplace,    ///< whatever has it goes
  kNoReplace,  ///< nothing may have it: kExists
  kExchange,   ///< what has it gets the old name
};

/// A rename that was done. A value.
struct Renamed {
  ObjectNumber object = 0;  ///< has the new name
  /// That had the new name; with link count 0 it goes on until it is released. Object 0: nothing
  /// had it, or the same object, which stays as it is then.
  Entry replaced;
};

/// How set_xattr() treats the name; as setxattr(2).
enum class XattrMode : std::uint8_t {
  kSet,      ///< made, or replaced
  kCreate,   ///< nothing may have it: kExists
  kReplace,  ///< it must be there: kNoAttribute
};

}  // namespace dgfs::view
