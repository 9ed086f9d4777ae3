// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An image that is damaged and salvaged, with a plain reference for the expected result.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reader/salvage/salvage.h"
#include "tests/reader/check/index_copies.h"

namespace dgfs::test {

/// The object that the image had under a path.
struct SalvageTruth {
  reader::Node node;
  std::string content;  ///< content of files, target of symlinks
  std::size_t page = 0;
  std::uint64_t index_in_page = 0;
  std::optional<std::size_t> link_page;  ///< page of its link record, if it has several names
  std::string key_in_page;
  bool needs_dictionary = false;  ///< whether reading the content needs one
};

/// Base of test fixtures.
class SalvageFixture : public IndexCopies {
 protected:
  void pack_with_truth(const builder::BuildOptions& options);
  /// Takes the current image as the truth.
  void take_truth();

  /// Whether all pieces of a kind are intact in one of the copies.
  [[nodiscard]] bool has_all(format::SectionKind kind) const;
  [[nodiscard]] std::map<std::string, std::string>::const_iterator find_unnumbered(
      const std::string& path, const std::string& content) const;
  [[nodiscard]] bool has_page(std::size_t page) const;
  [[nodiscard]] bool has_contents(const SalvageTruth& truth) const;

  /// Salvages the current copies to /saved.
  void salvage(bool partial = false);
  /// Compares the result of salvage() with the intact parts.
  void expect_reference(const std::string& what);
  /// A weaker check: files outside lost+found are right, files in it exist somewhere in the tree,
  /// and a result with fewer names than the tree is not reported as complete.
  void expect_nothing_wrong(const std::string& what);

  /// Damages runs of bytes in both files.
  void damage_by_seed(unsigned seed, unsigned runs);
  void damage_both(const IndexPiece& piece);

  std::vector<format::PageRecord> records_;
  std::vector<IndexPiece> record_blocks_;  ///< block of each page's record
  std::map<std::string, SalvageTruth> truth_;
  // Results of the last salvage().
  std::set<std::string> told_;
  std::set<std::string> without_attributes_;  ///< reported paths that were saved anyway
  std::map<std::string, std::vector<reader::LostRange>> ranges_;
  std::map<std::string, std::string> saved_;  ///< content or target
  reader::SalvageReport report_;
  std::string error_;
  // Number of entries that expect_reference() has seen saved, in all calls.
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
