// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree in memory, packed by the builder; most tests of the reader begin with it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builder/build.h"
#include "reader/image.h"
#include "storage/memory/env.h"
#include "storage/testing/counting_env.h"
#include "storage/testing/faulty_env.h"

namespace dgfs::test {

inline constexpr const char* kImage = "/out/t.dgfs";
inline constexpr const char* kIndex = "/out/t.dgfs.idx";

class PackedTree {
 public:
  PackedTree();

  /// Makes a directory at a path relative to the tree's root; parents must exist.
  void directory(const std::string& path);
  void file(const std::string& path, Bytes content);
  void file(const std::string& path, std::string_view content) { file(path, as_bytes(content)); }
  void symlink(const std::string& path, std::string_view target);
  void link(const std::string& existing, const std::string& path);
  /// The directory of a path, for further changes.
  [[nodiscard]] std::unique_ptr<storage::Directory> parent(const std::string& path);

  void pack(builder::BuildOptions options = {});
  /// Volume 0 of the last packed image, and the further volumes beside it.
  [[nodiscard]] const std::vector<std::string>& volume_paths() const { return volume_paths_; }
  [[nodiscard]] std::unique_ptr<const reader::Image> open(reader::OpenOptions options = {});

  [[nodiscard]] storage::MemoryEnv& memory() { return *memory_; }
  [[nodiscard]] storage::CountingEnv& counting() { return *counting_; }
  [[nodiscard]] storage::IoCounts image_counts() const { return counting_->counts(kImage); }
  /// Reads of all volumes.
  [[nodiscard]] std::uint64_t volume_reads() const;
  [[nodiscard]] storage::IoCounts index_counts() const { return counting_->counts(kIndex); }

 private:
  std::unique_ptr<storage::MemoryEnv> memory_;
  std::unique_ptr<storage::CountingEnv> counting_;
  std::vector<std::string> volume_paths_;
};

/// Returns the value, or aborts the test program with the error's message.
template <class T>
T value_of(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.assume_error().message();
    std::abort();
  }
  return std::move(result).assume_value();
}
void expect_ok(const Status& status);

/// Whole content of a regular file.
[[nodiscard]] Result<Buffer> contents(const reader::Image& image, const reader::Node& node);
/// Returns the objects below a directory by path: contents of files, targets of symlinks, an empty
/// string for others.
[[nodiscard]] std::map<std::string, std::string> tree_below(const storage::Directory& directory);
/// `size` bytes that differ by seed and position.
[[nodiscard]] Buffer pattern(std::size_t size, std::uint32_t seed);

}  // namespace dgfs::test
