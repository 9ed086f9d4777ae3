// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The publisher gives the finished image and index their names, so that at every moment what can
// be opened there is complete: the old image, or the new one.
//
//   0. image, index and volumes are synced             (all that is slow)
//   1. the new index and the new volumes get hidden names
//   2. the old image and old volumes get second, hidden names
//                                                       (to return to, should a later step fail)
//   3. the old index, also one that gets no successor, is renamed to a hidden name
//                                                       (from here on the image's own copy serves)
//   4. the image is published                           (the switch)
//   5. the new index is renamed into place, and the new volumes over the old ones
//   6. the hidden names of what is old are removed
//
// An error in any step undoes those before it. A crash between 1 and 6 leaves hidden files; one
// between 4 and 5 leaves new volumes under their hidden names, where readers look for them, too.
// Where an image holds no copy of its index, one between 3 and 5 leaves it with a hidden index
// only. A file system without hard links (vfat) has no step 2: an old file is renamed right before
// the new one takes its place, and a crash between these two leaves an old image under its hidden
// name only.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::builder {

/// What to publish, and where. Files are complete and from Env::create_unnamed().
struct Publication {
  /// A file, never null, and the path that it gets.
  struct Output {
    storage::File* file = nullptr;
    std::string path;
  };
  Output image;
  std::vector<Output> volumes;     ///< further ones
  storage::File* index = nullptr;  ///< null: no index file
  std::string index_path;
  /// Where readers look for an index by themselves. One that belongs to the image being replaced
  /// would be refused beside the new image, so it goes with the old one. May equal index_path.
  std::string default_index_path;
  bool force = false;  ///< files that are no DGFS files may be replaced, too
};

/// Errors: kIo, kNoSpace, kPermission; the paths are then as before.
[[nodiscard]] Status publish(storage::Env& env, const Publication& publication);

}  // namespace dgfs::builder
