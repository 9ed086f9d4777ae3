// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What the bytes of an image's files are for, as far as its superblock and tables say.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "reader/image.h"

namespace dgfs::tools {

/// Of the files that are there: what for, and how many bytes. Parts of none are left out.
using SpaceParts = std::vector<std::pair<std::string, std::uint64_t>>;

/// @param files_bytes  length of all files that are there
[[nodiscard]] SpaceParts space_parts(const reader::Image& image, std::uint64_t files_bytes);

/// A line for each part: "  contents  1,297,875,968 B  99.5 %".
[[nodiscard]] std::string space_text(const SpaceParts& parts, std::uint64_t files_bytes);
void add_space(JsonObject& json, const SpaceParts& parts);

}  // namespace dgfs::tools
