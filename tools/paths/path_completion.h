// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Completes a path inside an image from the part that the user has typed.
#pragma once

#include <functional>
#include <string_view>

#include "reader/image.h"

namespace dgfs::tools {

/// Calls `offer` with each path that begins with `beginning`, in the directory that it names;
/// directories end with a slash. A missing directory has no paths. Names with a newline are left
/// out, because shells separate offers by newlines. Reads the index pages of the directory.
[[nodiscard]] Status complete_path(const reader::Image& image, std::string_view beginning,
                                   const std::function<void(std::string_view path)>& offer);

}  // namespace dgfs::tools
