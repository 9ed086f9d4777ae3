// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <optional>
#include <string>

namespace dgfs::storage {

/// The path from the root without links, "." and ".." (realpath(3)); nullopt: it leads nowhere.
[[nodiscard]] std::optional<std::string> resolved_path(const std::string& path);

}  // namespace dgfs::storage
