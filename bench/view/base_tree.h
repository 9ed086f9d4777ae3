// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tree that all begins with: one large directory, many small ones, and maybe a big file. Made
// by system calls, so that a file system of the kernel has the same one as an image.
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
  std::uint64_t small_files = 100;  ///< of a small directory
  std::uint64_t file_bytes = 64;
  std::uint64_t big_mib = 0;  ///< of a file of its own; 0: there is none

  [[nodiscard]] std::uint64_t files_of_small() const { return small_directories * small_files; }
};

[[nodiscard]] std::string file_name(std::uint64_t number);
[[nodiscard]] std::string directory_name(std::uint64_t number);
[[nodiscard]] std::string small_path(std::uint64_t number);

/// @param path  of its root, which is made
[[nodiscard]] Status make_tree(const BaseTree& tree, const std::string& path);
/// Packs it to `image`, and removes it.
[[nodiscard]] Status pack_tree(storage::Env& env, const std::string& path,
                               const std::string& image);

}  // namespace dgfs::bench
