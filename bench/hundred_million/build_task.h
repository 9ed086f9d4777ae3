// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Builds the image of a generated tree, with the builder that packs real ones.
#pragma once

#include <cstdint>
#include <string>

#include "bench/hundred_million/generated_tree.h"
#include "builder/build.h"

namespace dgfs::bench {

struct BuildResult {
  builder::BuildReport report;
  double scan_seconds = 0;              ///< until the whole tree was listed
  std::uint64_t temporary_bytes = 0;    ///< the most bytes written to removed files at one time
  std::uint64_t memory_bytes_peak = 0;  ///< resident, of this process since it began
};

/// Contents count as zeros for checksums, and are holes in the image. Prints progress to stderr.
/// @param jobs  as in BuildOptions
/// Errors: those of builder::build.
[[nodiscard]] Result<BuildResult> build_generated(const TreePlan& plan,
                                                  const std::string& image_path, unsigned jobs);

/// Packs the same small tree twice, both times in memory: as above, and from existing files that
/// hold zeros. Returns whether both indexes have the same bytes.
[[nodiscard]] Result<bool> is_index_as_of_real_files(std::uint64_t seed, bool nanoseconds);

}  // namespace dgfs::bench
