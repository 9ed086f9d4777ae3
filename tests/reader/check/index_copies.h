// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An image with two copies of its index, either of which tests damage in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "storage/memory/env.h"
#include "tests/reader/check/index_pieces.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {

/// A way to store the contents of the tree of pack_piece_tree().
struct PieceTree {
  const char* name = "";
  std::optional<builder::Compression> compression;
  friend void PrintTo(const PieceTree& tree, std::ostream* out) { *out << tree.name; }
};
inline const PieceTree kPieceTrees[] = {
    {"Raw", {}},
    {"Compressed", builder::Compression{3}},
    {"Fragments", builder::Compression{3, builder::kDictionaryBytesDefault, std::size_t{16} << 10}},
};
/// The trees whose contents need nothing, and everything, of an index.
inline const PieceTree kPlainAndFragmentsTree[] = {kPieceTrees[0], kPieceTrees[2]};
inline constexpr auto kPieceTreeNameOf = [](const auto& tree) {
  return std::string(tree.param.name);
};
[[nodiscard]] inline builder::BuildOptions options_of(const PieceTree& tree) {
  builder::BuildOptions options;
  options.compression = tree.compression;
  return options;
}

/// Base of test fixtures.
class IndexCopies : public ::testing::Test {
 protected:
  void pack(const builder::BuildOptions& options = {}) {
    pack_piece_tree(tree_, options);
    take();
  }
  /// Does the same with an image that exists already.
  void take() {
    image_ = read_file(tree_.memory(), kImage);
    index_ = read_file(tree_.memory(), kIndex);
    pieces_ = pieces_of(index_);
    restore();
  }
  /// Undoes all damage.
  void restore() {
    sidecar_ = index_;
    trailing_ = image_;
  }
  /// Where the copy in the image begins.
  [[nodiscard]] std::size_t trailing_base() const {
    return image_.size() - index_.size() - format::kPageBytes;
  }
  void damage_sidecar(const IndexPiece& piece) { sidecar_[place_in(piece)] ^= 0x55; }
  void damage_trailing(const IndexPiece& piece) {
    trailing_[trailing_base() + place_in(piece)] ^= 0x55;
  }
  /// Writes all files as they are now to a separate file system: /t.dgfs, unless it is empty
  /// /t.dgfs.idx, and further volumes.
  void put() {
    memory_ = storage::make_memory_env(1);
    write_file(*memory_, "/t.dgfs", trailing_);
    if (!sidecar_.empty()) write_file(*memory_, "/t.dgfs.idx", sidecar_);
    for (const auto& [path, bytes] : volumes_) write_file(*memory_, path, bytes);
  }

  PackedTree tree_;
  Buffer image_;  ///< as it was built
  Buffer index_;  ///< as it was built
  std::vector<IndexPiece> pieces_;
  Buffer sidecar_;
  Buffer trailing_;
  std::map<std::string, Buffer> volumes_;  ///< further volumes, if any, by path
  std::unique_ptr<storage::MemoryEnv> memory_;

 private:
  // Not in the bytes that identify the index, and not behind the last record of a section of
  // records.
  static std::size_t place_in(const IndexPiece& piece) {
    return piece.offset + std::min<std::size_t>(piece.length - 1, 60);
  }
};

}  // namespace dgfs::test
