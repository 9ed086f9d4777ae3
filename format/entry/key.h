// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Path keys: the common order of builder, index and delta. A key has each directory component
// followed by 0x00, then one more 0x00, then the name:
//
//   a/b/name  ->  a 00 b 00 00 name        name (in the root)  ->  00 name        root  ->  00
//
// In the order of memcmp, all entries of a directory are adjacent, and its subdirectories follow
// recursively (BetrFS's depth-first order).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::format {

/// Whether `name` has 1 to kNameBytesMax bytes, no '/' and no NUL, and is neither "." nor "..".
[[nodiscard]] bool is_valid_name(std::string_view name);

/// Key of `path`. Single or repeated '/' separate components; leading, trailing and "." components
/// are ignored ("" and "/" are the root); ".." is refused. Errors: kInvalidArgument for a bad
/// component, kLimit beyond kKeyBytesMax.
[[nodiscard]] Result<std::string> key_of_path(std::string_view path);

/// Inverse of key_of_path: "a/b/name", "" for the root. kCorrupt if `key` is not a key.
[[nodiscard]] Result<std::string> path_of_key(std::string_view key);

/// kCorrupt unless `key` is a well-formed path key with valid names.
[[nodiscard]] Status check_key(std::string_view key);

/// The prefix of the keys of a directory's own entries, and of no others. The directory is given by
/// its own key: "00" -> "00"; "a 00 00 b" -> "a 00 b 00 00". The key of entry `n` in it is that
/// prefix + n.
[[nodiscard]] std::string children_prefix(std::string_view directory_key);

/// The prefix of the keys of everything below a directory, and of no others: children_prefix()
/// without its last byte, which comes later in the keys of subdirectories. Empty for the root.
[[nodiscard]] std::string subtree_prefix(std::string_view directory_key);

/// The name in a key: all bytes after the last 0x00. The whole string if there is no 0x00, as in
/// keys relative to a prefix that ends at or inside the name.
[[nodiscard]] std::string_view name_of_key(std::string_view key);

inline constexpr std::size_t kLinkKeyBytes = 8;
/// Key of a link record: the inode number, big-endian, kLinkKeyBytes long.
[[nodiscard]] std::string link_key(std::uint64_t inode);
/// The object of a link_key(); nullopt: it is no such key.
[[nodiscard]] std::optional<std::uint64_t> inode_of_link_key(std::string_view key);

/// Length of the longest common prefix.
[[nodiscard]] std::size_t shared_prefix_bytes(std::string_view a, std::string_view b);

/// Like a.compare(b), for texts that share their first `shared` bytes. Sets `shared` to the number
/// of bytes that they share.
[[nodiscard]] int compare_from(std::string_view a, std::string_view b, std::size_t& shared);

}  // namespace dgfs::format
