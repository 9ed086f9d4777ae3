// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which name ties a separate index to its image: IMAGE and IMAGE.idx.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dgfs::format {

/// What the path of a separate index has behind that of its image.
inline constexpr std::string_view kIndexSuffix = ".idx";

/// Where the index of an image stands unless somebody says otherwise.
[[nodiscard]] inline std::string default_index_path(std::string_view image_path) {
  return std::string(image_path).append(kIndexSuffix);
}

/// The image for which default_index_path() gives `index_path`; none where no image has it.
[[nodiscard]] inline std::optional<std::string> image_path_of_index(std::string_view index_path) {
  if (!index_path.ends_with(kIndexSuffix) || index_path.size() == kIndexSuffix.size()) return {};
  index_path.remove_suffix(kIndexSuffix.size());
  return std::string(index_path);
}

}  // namespace dgfs::format
