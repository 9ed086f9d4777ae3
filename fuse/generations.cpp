// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/generations.h"

#include <algorithm>
#include <limits>

#include "format/checksum.h"
#include "format/entry/entry.h"

namespace dgfs::fuse {
namespace {

std::uint64_t generation_of(const format::Uuid& uuid) {
  return std::max<std::uint64_t>(1, static_cast<std::uint32_t>(format::checksum64(uuid)));
}

}  // namespace

Generations::Generations(const format::Uuid& image)
    : Generations(image, std::numeric_limits<std::uint64_t>::max(), image) {}

Generations::Generations(const format::Uuid& image, std::uint64_t first_of_delta,
                         const format::Uuid& delta)
    : of_image_(generation_of(image)),
      first_of_delta_(first_of_delta),
      of_delta_(generation_of(delta)) {}

std::uint64_t Generations::of(std::uint64_t inode) const {
  if (inode == format::kRootInode) return 0;
  return inode < first_of_delta_ ? of_image_ : of_delta_;
}

}  // namespace dgfs::fuse
