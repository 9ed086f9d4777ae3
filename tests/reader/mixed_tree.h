// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree with every kind of entry, packed with random options, and a model of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/reader/packed_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// The expected values for a name.
struct Expected {
  Buffer content;
  std::string target;
  std::string xattr;  ///< value of user.x; empty: no such xattr
  std::uint32_t permissions = 0644;
  Time mtime;
  bool is_linked = false;  ///< whether it has several names
  bool is_sparse = false;
};

class MixedTree {
 public:
  /// Makes the tree and packs it.
  explicit MixedTree(std::uint64_t seed);

 protected:
  /// Whether the index is a separate file, with a copy in the image.
  [[nodiscard]] bool has_index_file() const { return !options_.index_path.has_value(); }
  [[nodiscard]] bool has_two_copies() const { return has_index_file() && options_.trailing_index; }
  /// Reads of the index and of all volumes, whether these are separate files or one.
  [[nodiscard]] std::uint64_t reads() const {
    return tree_.index_counts().reads + tree_.volume_reads();
  }
  void expect_same(const reader::Image& image, const std::string& path, const Expected& expected);
  void expect_all_the_same(const reader::Image& image);

  Random random_;
  PackedTree tree_;
  std::map<std::string, Expected> model_;  ///< by path, without directories
  builder::BuildOptions options_;

 private:
  void add_file(const std::string& directory, int number);
  void add_sparse(const std::string& path, Expected& file);
  void mix_options();

  std::vector<Buffer> contents_;  ///< contents that several files have
};

}  // namespace dgfs::test
