// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The names of an image and its separate index: IMAGE and IMAGE.idx.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dgfs::format {

/// A separate index has the path of its image plus this suffix.
inline constexpr std::string_view kIndexSuffix = ".idx";

/// The default path of the index of an image.
[[nodiscard]] inline std::string default_index_path(std::string_view image_path) {
  return std::string(image_path).append(kIndexSuffix);
}

/// The image for which default_index_path() gives `index_path`; nullopt if there is none.
[[nodiscard]] inline std::optional<std::string> image_path_of_index(std::string_view index_path) {
  if (!index_path.ends_with(kIndexSuffix) || index_path.size() == kIndexSuffix.size()) return {};
  index_path.remove_suffix(kIndexSuffix.size());
  return std::string(index_path);
}

}  // namespace dgfs::format
