// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DiffWalk: walks two trees together in key order, and reports entries of only one tree, and
// differences.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/path_rules.h"
#include "tools/diff/entries.h"
#include "tools/diff/links.h"
#include "tools/diff/tree.h"

namespace dgfs::tools {

enum class DiffSide : bool { kFirst, kSecond };

struct DiffSink {
  /// Called once for a directory, on behalf of everything below it.
  std::function<void(DiffSide side, const std::string& path, const DiffEntry& entry)> only_in;
  std::function<void(const std::string& path, const std::vector<Difference>& found)> differs;
  /// Called for an entry that could not be read, and so was not compared.
  std::function<void(const std::string& path, const Error& error)> trouble;
  /// Called for each entry that both trees have.
  std::function<void()> compared;
};

/// Where the two trees may differ, if both show states of one file system.
/// Returns the names in which a directory may differ that is the same object in both; null: it does
/// not. Not set: everything is compared.
using DiffScope = std::function<const std::set<std::string>*(std::uint64_t inode)>;

struct DiffOptions {
  DiffIgnore ignore;
  const rules::PathRules& rules;  ///< entries that they exclude are not compared
  const std::atomic<bool>& stop;
  DiffScope scope = {};
};

/// Holds the entries of one directory on both sides, the names of subdirectories still to visit,
/// and the paths that DiffLinks holds. References must outlive it.
class DiffWalk {
 public:
  DiffWalk(DiffTree& first, DiffTree& second, DiffOptions options, DiffSink sink)
      : first_(first), second_(second), options_(options), sink_(std::move(sink)) {}

  /// Compares the entry at `path` and everything below it.
  void run(const std::string& path);

 private:
  /// A directory that both trees have. A value.
  struct Pending {
    std::string path;
    /// Of the directory, if it is the same one in both and the scope tells where it differs.
    std::optional<std::uint64_t> inode;
  };
  void compare_directory(const Pending& directory);
  [[nodiscard]] Result<std::vector<DiffEntry>> entries_of(DiffTree& tree, const Pending& directory,
                                                          const DiffTree::Trouble& trouble) const;
  void compare(const std::string& path, const DiffEntry& first, const DiffEntry& second,
               std::vector<Pending>& subdirectories);
  void compare_objects(const std::string& path, const DiffEntry& first, const DiffEntry& second);
  void only_in(DiffSide side, const std::string& path, const DiffEntry& entry);
  [[nodiscard]] bool is_wanted(const std::string& path, const DiffEntry& entry) const;

  DiffTree& first_;
  DiffTree& second_;
  DiffOptions options_;
  DiffSink sink_;
  DiffLinks first_links_;
  DiffLinks second_links_;
  std::vector<Pending> pending_;  ///< the next one last
};

}  // namespace dgfs::tools
