// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Shows what the bytes of an image's files are used for, from its superblock and tables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "reader/image.h"

namespace dgfs::tools {

/// The uses of the bytes in the files that exist, with their numbers of bytes. Empty uses are left
/// out.
using SpaceParts = std::vector<std::pair<std::string, std::uint64_t>>;

/// @param files_bytes  length of all files that exist
[[nodiscard]] SpaceParts space_parts(const reader::Image& image, std::uint64_t files_bytes);

/// A line for each part: "  contents  1,297,875,968 B  99.5 %".
[[nodiscard]] std::string space_text(const SpaceParts& parts, std::uint64_t files_bytes);
void add_space(JsonObject& json, const SpaceParts& parts);

}  // namespace dgfs::tools
