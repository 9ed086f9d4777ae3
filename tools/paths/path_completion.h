// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Paths inside an image that begin as what a user has typed so far.
#pragma once

#include <functional>
#include <string_view>

#include "reader/image.h"

namespace dgfs::tools {

/// Calls `offer` with each path in the directory that `beginning` names whose text goes on from
/// it; directories end with a slash. A directory that is not there has none. Names with a newline
/// are left out, since shells part offers by it. Reads the index pages of the directory.
[[nodiscard]] Status complete_path(const reader::Image& image, std::string_view beginning,
                                   const std::function<void(std::string_view path)>& offer);

}  // namespace dgfs::tools
