// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// build --verify: reads back the image that was just published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reader/check/verify.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// The files of a published image.
struct PublishedImage {
  std::string image_path;
  std::string index_path;  ///< empty: only the copy in the image
  std::vector<std::string> volume_paths;
  bool has_digests = false;  ///< whether contents are compared with digests
};

/// Asks the system to drop the image from its page cache, opens the image, and reads all of it and
/// every copy of the index, with progress. Complaints name the damage, and say that the image is in
/// its place nevertheless.
/// @param report  receives the findings, if the image could be opened and read
/// @return exit code
[[nodiscard]] int check_published(const Session& session, const PublishedImage& published,
                                  unsigned jobs, bool quiet,
                                  std::optional<reader::VerifyReport>& report);

}  // namespace dgfs::tools
