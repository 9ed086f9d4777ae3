// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Generations: a file handle (open_by_handle_at(2), NFS) has one besides the inode number. So a
// handle from another image or delta is stale, and does not open another file.
#pragma once

#include <cstdint>
#include <optional>

#include "format/header/uuid.h"

namespace dgfs::fuse {

/// Numbers are never used again in one image or one delta, so all their objects have one
/// generation. Objects of an image have the same one in every mount of it, with a delta or without.
/// A value; thread-safe.
class Generations {
 public:
  explicit Generations(const format::Uuid& image);
  /// @param first_of_delta  the objects from this number on belong to the delta
  Generations(const format::Uuid& image, std::uint64_t first_of_delta, const format::Uuid& delta);

  /// 0 for the root, as the kernel requires: its handle opens the root of whatever is mounted. For
  /// others not 0, and below 2^32: the kernel keeps no more.
  [[nodiscard]] std::uint64_t of(std::uint64_t inode) const;

 private:
  std::uint64_t of_image_;
  std::uint64_t first_of_delta_;
  std::uint64_t of_delta_;
};

}  // namespace dgfs::fuse
