// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Search for the pieces of an index that tell by themselves what they are: pages, and sealed
// blocks of sections.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "format/header/section.h"
#include "storage/file.h"

namespace dgfs::reader {

/// Where a copy of an index is, or may be. A value.
struct IndexRegion {
  std::shared_ptr<storage::File> file;
  std::uint64_t begin = 0;  ///< of what is looked through
  std::uint64_t end = 0;    ///< likewise
  std::uint64_t base = 0;   ///< where the index begins, as far as is known
  /// Whether sealed blocks are taken only behind the last page: the region holds contents, too,
  /// which may hold indexes of other images.
  bool has_contents = false;
  /// Whether `base` is a guess: pages are known in their order, but not their numbers.
  bool is_base_guessed = false;
  /// Whether nothing says that it is a copy of this index and no other.
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

/// In the order of their places. A value.
struct FoundPieces {
  std::vector<FoundPage> pages;
  std::vector<FoundBlock> blocks;
};

/// Looks for pages at every multiple of 4096 from the region's base, and for blocks at every byte
/// between them. What cannot be read is passed over. Reads the region once, blocks of more than
/// 64 KiB once more. Errors: kInterrupted.
[[nodiscard]] Result<FoundPieces> scan_region(const IndexRegion& region,
                                              const std::atomic<bool>* stop);

}  // namespace dgfs::reader
