// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What build() tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/header/superblock.h"

namespace dgfs::builder {

/// What BuildOptions::keep_going left out, and why. A value.
struct Loss {
  std::string path;    ///< below the source
  std::string reason;  ///< a message
};

/// What was built. A value.
struct BuildReport {
  format::Superblock superblock;            ///< of the index
  std::uint64_t image_bytes = 0;            ///< of the image file, its copy of the index included
  std::vector<std::uint64_t> volume_bytes;  ///< of the further volumes, in their order
  std::uint64_t index_bytes = 0;            ///< of one copy of the index
  std::uint64_t pages = 0;                  ///< of the index
  std::uint64_t hard_links = 0;             ///< further names of multiply linked objects
  std::uint64_t shared_files = 0;           ///< whose content is that of an earlier file
  std::uint64_t shared_bytes = 0;           ///< that their extents would have taken
  std::uint64_t sockets_and_such = 0;       ///< FIFOs, sockets, devices
  std::uint64_t elapsed_ns = 0;             ///< wall clock
  /// What was not packed because this build has replaced it: paths below the source, as many as
  /// kLossesKeptMax.
  std::vector<std::string> replaced_in_source;
  std::vector<Loss> losses;      ///< only with keep_going; at most kLossesKeptMax
  std::uint64_t loss_count = 0;  ///< all, also those that are not kept
};
inline constexpr std::size_t kLossesKeptMax = 1000;  ///< bounds BuildReport::losses

}  // namespace dgfs::builder
