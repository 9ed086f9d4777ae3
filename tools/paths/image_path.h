// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Paths inside an image, as users write them: with or without a leading slash, with "." and "..",
// through symbolic links. Links are resolved as if the image's root were "/".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reader/image.h"

namespace dgfs::tools {

enum class Follow : bool { kNo, kYes };

/// Which symbolic links a command follows: -P, -H, -L.
enum class LinksFollowed : std::uint8_t { kNone, kOperands, kAll };

struct FoundNode {
  std::string path;  ///< from the root, with all links before its end resolved; "" is the root
  reader::Node node;
  /// Set by find_listed() if the entry of this directory cannot be read; `node` then has little
  /// more than its number.
  std::optional<Error> lost{};
};

/// Removes empty components, ".", and ".." after a component: "/a/./b/../c/" becomes "a/c".
[[nodiscard]] std::string normal_path(std::string_view path);

/// Finds the entry that a user means by `path`. Usually takes one lookup; if that finds nothing,
/// walks along the path and through the links on it. `last` says whether a link at the end is
/// followed too. With a slash at the end, the link is always followed and must lead to a directory.
/// Errors: kNotFound ("No such file or directory"; for "" as well, the root is "/" or "."),
/// kNotDirectory, kLoop; those of Image::lookup.
[[nodiscard]] Result<FoundNode> find_node(const reader::Image& image, std::string_view path,
                                          Follow last);

/// The path from the root without links and ".." that `path` resolves to. The path need not exist,
/// as with realpath -m. Resolution stops at a loop.
[[nodiscard]] std::string real_path(const reader::Image& image, std::string_view path);
/// Like find_node(), for commands that list directories: a directory whose own entry is damaged is
/// found by the entries left below it, and has that error in `lost`.
[[nodiscard]] Result<FoundNode> find_listed(const reader::Image& image, std::string_view path,
                                            Follow last);

/// The target of the link `node` at `path`. Any other node, and a link that leads nowhere, is
/// returned unchanged. Errors: those of find_node(), except kNotFound and kNotDirectory.
[[nodiscard]] Result<reader::Node> followed(const reader::Image& image, std::string_view path,
                                            const reader::Node& node);

/// "dir" and "name" give "dir/name", "" and "name" give "name", "/" and "name" give "/name".
[[nodiscard]] std::string joined_path(std::string_view directory, std::string_view name);

}  // namespace dgfs::tools
