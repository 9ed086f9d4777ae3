// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The publisher gives the finished image and index their names. At every moment a complete image
// can be opened at the path: the old one, or the new one.
//
//   0. image, index and volumes are synced              (the only slow step)
//   1. the new index and the new volumes get hidden names
//   2. the old image and old volumes get second, hidden names
//                                                       (to return to if a later step fails)
//   3. the old index is renamed to a hidden name, even if there is no new one
//                                                       (from here on the image's own copy serves)
//   4. the image is published                           (the switch)
//   5. the new index is renamed into place, and the new volumes over the old ones
//   6. the hidden names of old files are removed
//
// An error in any step undoes the steps before it. A crash between 1 and 6 leaves hidden files. A
// crash between 4 and 5 leaves new volumes under their hidden names; readers look for them there
// too. If the image has no copy of its index, a crash between 3 and 5 leaves it with a hidden index
// only. On a file system without hard links (vfat) there is no step 2: each old file is renamed
// right before the new one takes its place, and a crash between the two leaves the old image under
// its hidden name only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::builder {

/// Files to publish, and their paths. Files must be complete and come from Env::create_unnamed().
struct Publication {
  /// A file, never null, and its new path.
  struct Output {
    storage::File* file = nullptr;
    std::string path;
  };
  Output image;
  std::vector<Output> volumes;     ///< further volumes
  storage::File* index = nullptr;  ///< null: no index file
  std::string index_path;
  /// Path at which readers look for an index by default. An index of the old image there is
  /// removed, because readers would refuse it beside the new image. May equal index_path.
  std::string default_index_path;
  bool force = false;         ///< also replace files that are no DGFS files
  std::uint32_t mode = 0666;  ///< permissions of the files, before the umask
};

/// Publishes all files. Errors: kIo, kNoSpace, kPermission, those of check_output_path() and
/// check_replaced(); the paths are then as before.
[[nodiscard]] Status publish(storage::Env& env, const Publication& publication);

}  // namespace dgfs::builder
