// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree of everything, packed with options mixed at random, and what must come back of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/reader/packed_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// What must come back of a name.
struct Expected {
  Buffer content;
  std::string target;
  std::string xattr;  ///< value of user.x; empty: it has none
  std::uint32_t permissions = 0644;
  Time mtime;
  bool is_linked = false;  ///< has several names
  bool is_sparse = false;
};

class MixedTree {
 public:
  /// Makes the tree and packs it.
  explicit MixedTree(std::uint64_t seed);

 protected:
  /// Whether the index has a file of its own, and a copy in the image.
  [[nodiscard]] bool has_index_file() const { return !options_.index_path.has_value(); }
  [[nodiscard]] bool has_two_copies() const { return has_index_file() && options_.trailing_index; }
  /// Reads of the index and of all volumes, where either is one file of its own or both are one.
  [[nodiscard]] std::uint64_t reads() const {
    return tree_.index_counts().reads + tree_.volume_reads();
  }
  void expect_same(const reader::Image& image, const std::string& path, const Expected& expected);
  void expect_all_the_same(const reader::Image& image);

  Random random_;
  PackedTree tree_;
  std::map<std::string, Expected> model_;  ///< by path, but directories
  builder::BuildOptions options_;

 private:
  void add_file(const std::string& directory, int number);
  void add_sparse(const std::string& path, Expected& file);
  void mix_options();

  std::vector<Buffer> contents_;  ///< that several files have
};

}  // namespace dgfs::test
