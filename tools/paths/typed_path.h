// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Paths in messages of a process that knows them only from the root.
#pragma once

#include <string>

namespace dgfs::tools {

/// The message with the path that the user typed wherever it has the same path from the root:
/// "/home/anna/photos.delta: is full" becomes "photos.delta: is full".
[[nodiscard]] std::string with_typed_path(std::string message, const std::string& typed);

}  // namespace dgfs::tools
