// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Searches a file for pieces of an index that identify themselves: pages, and sealed blocks of
// sections.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "format/header/section.h"
#include "storage/file.h"

namespace dgfs::reader {

/// Place of a copy of the index, certain or possible. A value.
struct IndexRegion {
  std::shared_ptr<storage::File> file;
  std::uint64_t begin = 0;  ///< begin of the range to search
  std::uint64_t end = 0;    ///< end of the range to search
  std::uint64_t base = 0;   ///< begin of the index, if known
  /// Whether the region also holds contents, which may include indexes of other images. Sealed
  /// blocks are then taken only behind the last page.
  bool has_contents = false;
  /// Whether `base` is a guess. The order of pages is known then, but not their numbers.
  bool is_base_guessed = false;
  /// Whether there is no proof that this is a copy of this image's index.
  bool is_doubtful = false;
};

/// An intact page: its checksum fits. A value.
struct FoundPage {
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t checksum = 0;
};

/// An intact sealed block. A value.
struct FoundBlock {
  format::SectionKind kind = format::SectionKind::kNone;
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
};

/// The pieces found, in the order of their places. A value.
struct FoundPieces {
  std::vector<FoundPage> pages;
  std::vector<FoundBlock> blocks;
};

/// Searches for pages at every multiple of 4096 from the region's base, and for blocks at every
/// byte between pages. Skips unreadable parts. Reads the region about once, and blocks of more than
/// 1 MiB once more. Errors: kInterrupted.
[[nodiscard]] Result<FoundPieces> scan_region(const IndexRegion& region,
                                              const std::atomic<bool>* stop);

}  // namespace dgfs::reader
