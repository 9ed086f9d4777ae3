// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tree at the start of each task: one large directory, many small ones, and maybe a big file.
// Made by system calls, so that a kernel file system gets the same tree as an image.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "storage/env.h"

namespace dgfs::bench {

inline constexpr const char* kLarge = "large";
inline constexpr const char* kSmall = "small";
inline constexpr const char* kBig = "big";

/// A value.
struct BaseTree {
  std::uint64_t large_files = 80'000;
  std::uint64_t small_directories = 1'000;
  std::uint64_t small_files = 100;  ///< per small directory
  std::uint64_t file_bytes = 64;
  std::uint64_t big_mib = 0;  ///< size of the big file; 0: there is none

  [[nodiscard]] std::uint64_t files_of_small() const { return small_directories * small_files; }
};

[[nodiscard]] std::string file_name(std::uint64_t number);
[[nodiscard]] std::string directory_name(std::uint64_t number);
[[nodiscard]] std::string small_path(std::uint64_t number);

/// @param path  root of the tree, which is made
[[nodiscard]] Status make_tree(const BaseTree& tree, const std::string& path);
/// Packs the tree into `image`, and removes the tree.
[[nodiscard]] Status pack_tree(storage::Env& env, const std::string& path,
                               const std::string& image);

}  // namespace dgfs::bench
