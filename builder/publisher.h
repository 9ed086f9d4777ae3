// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The publisher gives the finished image and index their names, so that at every moment what can
// be opened there is complete: the old image, or the new one.
//
//   0. the image is synced                              (all that is slow)
//   1. the new index gets a hidden name
//   2. the old image gets a second, hidden name         (to return to, should a later step fail)
//   3. the old index, also one that gets no successor, is renamed to a hidden name
//                                                       (from here on the image's own copy serves)
//   4. the image is published                           (the switch)
//   5. the new index is renamed into place
//   6. the hidden names of what is old are removed
//
// An error in any step undoes those before it. A crash between 1 and 6 leaves hidden files; where
// an image holds no copy of its index, one between 3 and 5 leaves it with a hidden index only.
// A file system without hard links (vfat) has no step 2: the old image is renamed right before 4,
// and a crash between these two leaves it under its hidden name only.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::builder {

/// What to publish, and where. Files are complete and from Env::create_unnamed().
struct Publication {
  storage::File* image = nullptr;  ///< never null
  std::string image_path;
  storage::File* index = nullptr;  ///< null: no index file
  std::string index_path;
  /// Where readers look for an index by themselves. One that belongs to the image being replaced
  /// would be refused beside the new image, so it goes with the old one. May equal index_path.
  std::string default_index_path;
};

/// Errors: kIo, kNoSpace, kPermission; the paths are then as before.
[[nodiscard]] Status publish(storage::Env& env, const Publication& publication);

/// Fails early where publishing would fail late: kIsDirectory if `path` is a directory,
/// kExists if it is anything else but a regular file (a device, a link), kInvalidArgument if it is
/// no file name. Returns what is there now.
[[nodiscard]] Result<std::optional<storage::FileStatus>> check_output_path(storage::Env& env,
                                                                           const std::string& path);

}  // namespace dgfs::builder
