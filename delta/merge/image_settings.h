// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/result.h"
#include "builder/options.h"
#include "reader/image.h"

namespace dgfs::merge {

/// Sets the options that a merge takes over from its image: compression with the default level if
/// any contents are compressed, with or without fragment frames; digests. Errors: those of
/// Image::digest_algorithm().
[[nodiscard]] Status take_over_settings(const reader::Image& image, builder::BuildOptions& options);

}  // namespace dgfs::merge
