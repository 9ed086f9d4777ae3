// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Report of build().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/header/superblock.h"

namespace dgfs::builder {

/// The part of an entry that a build with keep_going lost.
enum class LostPart : std::uint8_t {
  kEntry,      ///< all of it: the image has no such entry
  kEnd,        ///< a file that kept growing: the image has its beginning
  kAttribute,  ///< an extended attribute, or several
};

/// An entry that a build with keep_going could not pack, or not wholly. A value.
struct Loss {
  std::string path;                  ///< below the source
  std::string reason;                ///< message of the error
  LostPart part = LostPart::kEntry;  ///< how much of the entry is lost
};

/// A file that would be packed. A value.
struct LargeContent {
  std::uint64_t bytes = 0;  ///< size of the file
  std::string path;         ///< below the source
};

/// The result of a build. A value.
struct BuildReport {
  format::Superblock superblock;            ///< of the index
  std::uint64_t image_bytes = 0;            ///< of the image file, with its copy of the index
  std::vector<std::uint64_t> volume_bytes;  ///< of each further volume, in their order
  std::uint64_t index_bytes = 0;            ///< of one copy of the index
  std::uint64_t pages = 0;                  ///< of the index
  std::uint64_t hard_links = 0;             ///< further names of multiply linked objects
  std::uint64_t shared_files = 0;           ///< files with the content of an earlier file
  std::uint64_t shared_bytes = 0;           ///< bytes that extents of these would have taken
  std::uint64_t sockets_and_such = 0;       ///< FIFOs, sockets, devices
  std::uint64_t packed_files = 0;           ///< with contents that were read, each name counted
  std::uint64_t kept_files = 0;    ///< objects whose contents stay in volumes of other images
  std::uint64_t packed_bytes = 0;  ///< sizes of the files that were read, each name counted
  std::uint64_t kept_names = 0;    ///< names of objects whose contents are kept
  std::vector<std::string> kept_volumes;  ///< file names of volumes with kept contents
  std::uint64_t kept_bytes = 0;           ///< of these volumes, which their extents take
  std::uint64_t dead_bytes = 0;           ///< of these volumes, which no file of the image has
  std::uint64_t elapsed_ns = 0;           ///< wall clock
  /// Output files that lie in the source and were not packed: paths below the source, at most
  /// kLossesKeptMax.
  std::vector<std::string> replaced_in_source;
  /// Only of a dry run: the largest files that would be packed, the largest first.
  std::vector<LargeContent> largest;
  std::vector<Loss> losses;      ///< only with keep_going; the first kLossesKeptMax
  std::uint64_t loss_count = 0;  ///< all lost entries, also those not in `losses`
  /// Losses of parts of entries that the image has, also those not in `losses`.
  std::uint64_t part_loss_count = 0;
};
inline constexpr std::size_t kLossesKeptMax = 1000;  ///< bounds BuildReport::losses

}  // namespace dgfs::builder
