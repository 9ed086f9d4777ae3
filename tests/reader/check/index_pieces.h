// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The pieces of a sound index, for tests that damage them one by one.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/header/section.h"
#include "format/page/directory.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {

/// A piece with a checksum of its own: superblock (kNone), page of entries or of digests, sealed
/// block, or a section of side records.
struct IndexPiece {
  format::SectionKind kind = format::SectionKind::kNone;
  std::size_t offset = 0;  ///< offset in the index
  std::size_t length = 0;

  [[nodiscard]] bool is_records() const;
  /// "pages at 8192", for messages.
  [[nodiscard]] std::string name() const;
};

/// Sorted by offset.
[[nodiscard]] std::vector<IndexPiece> pieces_of(const Buffer& index);
/// The page directory of an index.
[[nodiscard]] std::vector<format::PageRecord> records_of(const Buffer& index);

/// Packs a tree with a section of every kind, several pages and further names: "linked" and "other
/// name" are one file. Only with compression it has dictionaries, seek tables and shared contents.
void pack_piece_tree(PackedTree& tree, const builder::BuildOptions& options = {});

}  // namespace dgfs::test
