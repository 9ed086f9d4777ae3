// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seeds from real images: each whole as a recipe, and the pieces of its index for the targets of
// single decoders.
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

/// The golden images of a folder, which have one of everything that a tree can hold, but for those
/// of so many entries that a fuzzer would try few; and all that the tests of damage are made from.
[[nodiscard]] std::vector<SeedImage> seed_images(const std::filesystem::path& golden);

/// For the target image: each image for all that is done with images, some of it with a second copy
/// of the index.
void add_image_seeds(const std::filesystem::path& folder, const std::vector<SeedImage>& images);

/// For the targets page, page_block, sections and model.
void add_piece_seeds(const std::filesystem::path& folder, const SeedImage& image);

}  // namespace dgfs::test
