// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/json.h"
#include "reader/image.h"

namespace dgfs::fuse {

/// Adds what an image tells of itself: page_cache, frame_cache, device, errors, healed_pages, as
/// statistics_json() has them.
void add_image_statistics(JsonObject& statistics, const reader::Image& image);

}  // namespace dgfs::fuse
