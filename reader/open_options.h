// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "reader/image_caches.h"

namespace dgfs::reader {

class Image;

/// How to open an image. A value; all that `warn` refers to must outlive the image.
struct OpenOptions {
  /// Index to use instead of IMAGE.idx. It must belong to the image, and may be damaged. If unset
  /// and IMAGE.idx is not an index of the image, the copy in the image is used.
  std::optional<std::string> index_path;
  /// Volumes that are not beside the image: files, and folders to search (at most 10,000 files of
  /// each). Volumes are found by UUID and number, so order does not matter.
  std::vector<std::string> volume_paths;
  std::size_t page_cache_bytes = std::size_t{64} << 20;  ///< decoded index pages
  /// Verified frames of larger files. The cache of maps (of sparse and compressed files) gets as
  /// much again.
  std::size_t frame_cache_bytes = std::size_t{32} << 20;
  /// Caches to share with other images, made by make_image_caches(); the two sizes above are unused
  /// then. Null: the image makes its own caches.
  std::shared_ptr<ImageCaches> caches;
  /// Verify the checksum of each frame of contents before returning its bytes. If false, a damaged
  /// frame gives wrong bytes in place of its own, and has no other effect. The index is always
  /// verified.
  bool check_contents = true;
  /// Read contents past the page cache (O_DIRECT) if the file system can. A cold read of a small
  /// file then takes a fifth less time and leaves the page cache to others, but each further read
  /// of the file costs the same again, and read-ahead is up to the caller. The index is always read
  /// through the page cache.
  bool contents_past_page_cache = false;
  /// An open image. Volumes that it has open, and that this image needs, too, are used as they are,
  /// and not opened by a path. Needed only while the image is opened. Null: none.
  const Image* shares_volumes_of = nullptr;
  /// Receives warnings: problems that stop nothing, such as a damaged index copy that the other
  /// copy replaces. Called on any thread.
  std::function<void(const Error&)> warn;
};

}  // namespace dgfs::reader
