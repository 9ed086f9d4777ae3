// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An image that is damaged and salvaged, with a plain reference of what must come of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reader/salvage/salvage.h"
#include "tests/reader/check/index_copies.h"

namespace dgfs::test {

/// What stood in the image under a path.
struct SalvageTruth {
  reader::Node node;
  std::string content;  ///< of files, and targets
  std::size_t page = 0;
  std::uint64_t index_in_page = 0;
  std::optional<std::size_t> link_page;  ///< of its record, if it has several names
  std::string key_in_page;
  bool needs_dictionary = false;  ///< to read the content
};

/// Base of test fixtures.
class SalvageFixture : public IndexCopies {
 protected:
  void pack_with_truth(const builder::BuildOptions& options);
  /// Takes the image in the tree as the truth.
  void take_truth();

  /// Whether all of a kind are intact in one of the copies.
  [[nodiscard]] bool has_all(format::SectionKind kind) const;
  [[nodiscard]] bool has_page(std::size_t page) const;
  [[nodiscard]] bool has_contents(const SalvageTruth& truth) const;

  /// Salvages the copies as they are now to /saved.
  void salvage(bool partial = false);
  /// Holds what salvage() did against what is intact.
  void expect_reference(const std::string& what);
  /// Less than that: what is not in lost+found is right, what is in there is somewhere in the tree,
  /// and what has fewer names than the tree is not told to be complete.
  void expect_nothing_wrong(const std::string& what);

  /// Runs of bytes are lost, in both files.
  void damage_by_seed(unsigned seed, unsigned runs);
  void damage_both(const IndexPiece& piece);

  std::vector<format::PageRecord> records_;
  std::vector<IndexPiece> record_blocks_;  ///< by page
  std::map<std::string, SalvageTruth> truth_;
  // Of the last salvage().
  std::set<std::string> told_;
  std::set<std::string> without_attributes_;  ///< of those told, what was saved all the same
  std::map<std::string, std::vector<reader::LostRange>> ranges_;
  std::map<std::string, std::string> saved_;  ///< content or target
  reader::SalvageReport report_;
  std::string error_;
  // Of all of them, that expect_reference() saw.
  std::size_t kept_ = 0;
  std::size_t missed_ = 0;

 private:
  [[nodiscard]] bool needs_dictionary(const reader::Node& node) const;
  [[nodiscard]] bool has(std::size_t offset, std::size_t length) const;
  [[nodiscard]] bool is_trailing_found() const;
  [[nodiscard]] bool has_record(std::size_t page) const;
  [[nodiscard]] bool is_placed(std::size_t page) const;
  [[nodiscard]] std::size_t page_of_link(format::InodeNumber inode) const;
  [[nodiscard]] std::string expected_path(const std::string& path, const SalvageTruth& truth) const;
};

}  // namespace dgfs::test
