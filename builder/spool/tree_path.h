// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names of places in the tree being packed: key prefixes as the stages pass them, and paths as
// messages and patterns want them.
#pragma once

#include <string>
#include <string_view>

namespace dgfs::builder {

/// "a 00 b 00" and "name" -> "a/b/name".
[[nodiscard]] std::string tree_path(std::string_view prefix, std::string_view name);

/// "a 00 b 00" and "name" -> the path key (format/entry/key.h). An empty prefix and name give the
/// root's.
void set_key(std::string& key, std::string_view prefix, std::string_view name);

}  // namespace dgfs::builder
