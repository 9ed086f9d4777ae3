// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Facts about an image that need a walk over the whole index. Contents are not read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"

namespace dgfs::tools {

/// The results. An object with several names counts once.
struct IndexScan {
  /// The number of objects of one type, and their sizes.
  struct Kind {
    std::uint32_t type = 0;  ///< bits of the mode
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Kind> kinds;         ///< the types that occur, files first
  std::uint64_t median_bytes = 0;  ///< over the files; the lower one of two in the middle
  std::uint64_t largest_bytes = 0;
  std::optional<std::string> largest_path;  ///< nullopt if there are no files
  std::uint64_t empty_files = 0;
  std::uint64_t sparse_files = 0;
  std::uint64_t with_xattrs = 0;  ///< objects of any type
  /// Files whose extent begins before the end of the extents before it in key order. Such an extent
  /// is shared, because the builder places each new extent after all others. If a fragment frame is
  /// shared so, all files in it count.
  std::uint64_t shared_files = 0;
  std::uint64_t shared_bytes = 0;    ///< that separate extents for them would take
  std::uint64_t fragment_files = 0;  ///< files that share a frame with their neighbours
  std::optional<Time> oldest;        ///< modification time of files
  std::optional<Time> newest;
  std::uint64_t damaged_regions = 0;  ///< in both copies of the index
};

/// Progress callbacks; both return whether to continue.
struct IndexScanWatcher {
  std::function<bool(std::uint64_t entries)> counted;  ///< called during the walk
  std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)> checked;  ///< of both copies
};

/// Reads every index page once, and checks both copies. Holds eight bytes per file.
/// @param watcher  receives the progress
/// @param damaged  is called for each damage
/// Errors: kInterrupted; those of Image::walk and Image::verify_index.
[[nodiscard]] Result<IndexScan> scan_index(const reader::Image& image,
                                           const IndexScanWatcher& watcher,
                                           const std::function<void(const Error&)>& damaged);

}  // namespace dgfs::tools
