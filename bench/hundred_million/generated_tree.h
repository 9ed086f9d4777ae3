// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree that exists only as a rule: directories of directories of directories of files, whose
// names, sizes and times follow from a seed. It computes any entry without the others, so that a
// hundred million of them need no memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/file.h"

namespace dgfs::bench {

/// The parameters of the tree. A value.
struct TreePlan {
  std::uint64_t seed = 0;
  std::uint64_t top_directories = 100;  ///< below the root
  std::uint64_t fan_out = 100;  ///< entries per directory below: twice directories, then files
  bool nanoseconds = false;     ///< times have nanoseconds; else whole seconds
};

/// The place of an entry: its depth below the root, and its number among all entries of that depth,
/// in key order. A value.
struct Place {
  unsigned level = 0;
  std::uint64_t number = 0;
};
inline constexpr unsigned kFileLevel = 4;
inline constexpr std::uint64_t kFileBytesMin = 4096;
inline constexpr std::uint64_t kFileBytesMax = 12288;

/// Immutable, thread-safe.
class GeneratedTree {
 public:
  explicit GeneratedTree(const TreePlan& plan);

  [[nodiscard]] std::uint64_t file_count() const { return count(kFileLevel); }
  /// Number of files and directories, including the root.
  [[nodiscard]] std::uint64_t entry_count() const;
  /// Number of children of a directory; their numbers begin with first_child().
  [[nodiscard]] std::uint64_t child_count(const Place& directory) const;
  [[nodiscard]] std::uint64_t first_child(const Place& directory) const;

  void append_name(const Place& entry, std::string& out) const;
  /// The child with this name; nullopt if there is none.
  [[nodiscard]] std::optional<Place> find(const Place& directory, std::string_view name) const;
  /// "a/b/c/d" of a file.
  [[nodiscard]] std::string path_of_file(std::uint64_t number) const;

  [[nodiscard]] std::uint64_t size_of_file(std::uint64_t number) const;
  [[nodiscard]] Time time_of(const Place& entry) const;
  [[nodiscard]] storage::FileStatus status(const Place& entry) const;

 private:
  [[nodiscard]] std::uint64_t count(unsigned level) const { return counts_[level]; }
  [[nodiscard]] std::uint64_t position_in_parent(const Place& entry) const;
  [[nodiscard]] std::uint64_t last_file_step(const Place& entry) const;

  TreePlan plan_;
  std::array<std::uint64_t, kFileLevel + 1> counts_{};  ///< entries at each level
  std::array<std::string, kFileLevel + 1> stems_;       ///< beginnings of names, by level
  std::array<std::size_t, kFileLevel + 1> digits_{};    ///< numbers of digits at their ends
  std::uint64_t step_ns_ = 0;                           ///< time between files
};

}  // namespace dgfs::bench
