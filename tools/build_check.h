// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// build --verify: reads back what was just published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reader/check/verify.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// What was published, and where.
struct PublishedImage {
  std::string image_path;
  std::string index_path;  ///< empty: only the copy in the image
  std::vector<std::string> volume_paths;
  bool has_digests = false;  ///< to compare contents with
};

/// Opens the image, after asking the system to forget what it holds of it in memory, and reads all
/// of it and every copy of the index, with progress. Complaints name the damage, and say that the
/// image is there all the same.
/// @param report  receives what was found, if it could be opened and read
/// @return exit code
[[nodiscard]] int check_published(const Session& session, const PublishedImage& published,
                                  unsigned jobs, bool quiet,
                                  std::optional<reader::VerifyReport>& report);

}  // namespace dgfs::tools
