// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seeds from real images: each image whole as a recipe, and the pieces of its index for the targets
// of single decoders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace dgfs::test {

/// An image with its further volumes.
struct SeedImage {
  std::string name;
  Buffer image;
  std::vector<Buffer> volumes;
};

/// The golden images of a folder, which have one of everything that a tree can hold, and the images
/// with which the tests of damage begin. Without those of so many entries that a fuzzer would try
/// few mutations.
[[nodiscard]] std::vector<SeedImage> seed_images(const std::filesystem::path& golden);

/// Seeds for the target image: each image for all uses, some of them with a second copy of the
/// index.
void add_image_seeds(const std::filesystem::path& folder, const std::vector<SeedImage>& images);

/// Seeds for the targets page, page_block, sections and model.
void add_piece_seeds(const std::filesystem::path& folder, const SeedImage& image);

}  // namespace dgfs::test
