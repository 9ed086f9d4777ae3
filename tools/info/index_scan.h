// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What only a walk over the whole index can tell about an image. Contents are not read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"

namespace dgfs::tools {

/// Objects with several names count once.
struct IndexScan {
  /// Of one type: how many there are, and their sizes.
  struct Kind {
    std::uint32_t type = 0;  ///< bits of the mode
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Kind> kinds;         ///< those that occur, files first
  std::uint64_t median_bytes = 0;  ///< of the files, the lower one of two in the middle
  std::uint64_t largest_bytes = 0;
  std::optional<std::string> largest_path;  ///< empty where there are no files
  std::uint64_t empty_files = 0;
  std::uint64_t sparse_files = 0;
  std::uint64_t with_xattrs = 0;  ///< objects of any type
  /// Files whose extent begins before the end of those that stand before it in key order: it is
  /// one of them, for the builder gives each new extent a place behind all others. All that are in
  /// such a fragment frame count.
  std::uint64_t shared_files = 0;
  std::uint64_t shared_bytes = 0;    ///< that their extents would take
  std::uint64_t fragment_files = 0;  ///< that share a frame with their neighbours
  std::optional<Time> oldest;        ///< modification time of files
  std::optional<Time> newest;
  std::uint64_t damaged_regions = 0;  ///< of both copies of the index
};

/// Both tell whether to go on.
struct IndexScanWatcher {
  std::function<bool(std::uint64_t entries)> counted;  ///< as they are walked over
  std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)> checked;  ///< of both copies
};

/// Reads every index page once, and both copies to check them. Holds eight bytes a file.
/// @param watcher  is told how far it came
/// @param damaged  is told what is found
/// Errors: kInterrupted; those of Image::walk and Image::verify_index.
[[nodiscard]] Result<IndexScan> scan_index(const reader::Image& image,
                                           const IndexScanWatcher& watcher,
                                           const std::function<void(const Error&)>& damaged);

}  // namespace dgfs::tools
