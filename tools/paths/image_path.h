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

/// Which symbolic links a command takes for what they lead to: -P, -H, -L.
enum class LinksFollowed : std::uint8_t { kNone, kOperands, kAll };

struct FoundNode {
  std::string path;  ///< relative to the root, without links on the way; "" is the root
  reader::Node node;
  /// Of find_listed(): why the entry of this directory cannot be read, so that `node` has little
  /// more than its number.
  std::optional<Error> lost{};
};

/// Without empty components, ".", and ".." where a component precedes it: "/a/./b/../c/" is "a/c".
[[nodiscard]] std::string normal_path(std::string_view path);

/// Finds what a user means by `path`. Usually one lookup; where that finds nothing, the path is
/// walked through the links on it. `last` says whether a link at its end is followed too; with a
/// slash after it it always is, and what it leads to must be a directory.
/// Errors: kNotFound ("No such file or directory"; for "" as well, the root is "/" or "."),
/// kNotDirectory, kLoop; those of Image::lookup.
[[nodiscard]] Result<FoundNode> find_node(const reader::Image& image, std::string_view path,
                                          Follow last);

/// The path without links and ".." that `path` comes down to, from the root; also of what is
/// missing, as realpath -m has it. A loop ends where it is met.
[[nodiscard]] std::string real_path(const reader::Image& image, std::string_view path);
/// The same for what is to be listed, not shown: a directory whose own entry is damaged is found by
/// what is left below it, and comes with that error in `lost`.
[[nodiscard]] Result<FoundNode> find_listed(const reader::Image& image, std::string_view path,
                                            Follow last);

/// What the link `node` at `path` leads to; any other node, and a link that leads nowhere, as it
/// is. Errors: as find_node(), but for kNotFound and kNotDirectory.
[[nodiscard]] Result<reader::Node> followed(const reader::Image& image, std::string_view path,
                                            const reader::Node& node);

/// "dir" and "name" give "dir/name", "" and "name" give "name", "/" and "name" give "/name".
[[nodiscard]] std::string joined_path(std::string_view directory, std::string_view name);

}  // namespace dgfs::tools
