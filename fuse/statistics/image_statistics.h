// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/json.h"
#include "reader/image.h"

namespace dgfs::fuse {

/// Adds an image's own statistics: page_cache, frame_cache, device, errors, healed_pages; see
/// statistics_json().
void add_image_statistics(JsonObject& statistics, const reader::Image& image);

}  // namespace dgfs::fuse
