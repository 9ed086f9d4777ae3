// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A DiffTree over an image.
#pragma once

#include <memory>

#include "reader/image.h"
#include "tools/diff/tree.h"

namespace dgfs::tools {

/// `image` must outlive the tree.
[[nodiscard]] std::unique_ptr<DiffTree> make_image_tree(const reader::Image& image);

}  // namespace dgfs::tools
