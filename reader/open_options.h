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

/// How to open an image. A value; what `warn` refers to must outlive the image.
struct OpenOptions {
  /// Index to use instead of IMAGE.idx, whose place the copy in the image takes where there is
  /// something else than its index. What is named here must belong to the image; it may be damaged.
  std::optional<std::string> index_path;
  /// Where volumes lie that are not beside the image: files, and folders all of whose files (10,000
  /// at most) may be some. They are found by UUID and number; order does not matter.
  std::vector<std::string> volume_paths;
  std::size_t page_cache_bytes = std::size_t{64} << 20;  ///< decoded index pages
  /// Verified frames of larger files; as much again for maps of sparse and compressed ones.
  std::size_t frame_cache_bytes = std::size_t{32} << 20;
  /// Caches that the image shares with others, by make_image_caches(): the two sizes above are not
  /// used then. Null: it has caches of its own.
  std::shared_ptr<ImageCaches> caches;
  /// Whether the checksum of each frame of contents is verified before its bytes are handed out.
  /// Without it a damaged frame gives wrong bytes, but never more than its own, and nothing else
  /// can happen. The index is verified always.
  bool check_contents = true;
  /// Whether contents are read past the page cache (O_DIRECT) where the file system can: a cold
  /// read of a small file takes a fifth less time and leaves the memory to others, but whoever
  /// reads it again pays again. Read-ahead is then the caller's. The index is read through it
  /// always.
  bool contents_past_page_cache = false;
  /// Receives what is worth telling but does not stop anything (a damaged index copy replaced by
  /// the other). Called from any thread.
  std::function<void(const Error&)> warn;
};

}  // namespace dgfs::reader
