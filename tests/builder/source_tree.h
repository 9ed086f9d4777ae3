// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trees to build from, made through an Env, and builds of them.
#pragma once

#include <memory>
#include <string>

#include "builder/build.h"
#include "storage/env.h"

namespace dgfs::test {

/// Makes files below a directory. A failure ends the test program.
class SourceTree {
 public:
  /// Makes the directory `path`.
  SourceTree(storage::Env& env, std::string path);

  void directory(const std::string& name, std::uint32_t mode = 0755);
  void file(const std::string& name, const std::string& content, std::uint32_t mode = 0644);
  /// Makes a file of `size_bytes` that is a hole except for `data` at `offset_bytes`.
  void sparse(const std::string& name, std::uint64_t size_bytes, std::uint64_t offset_bytes,
              const std::string& data);
  void symlink(const std::string& name, const std::string& target);
  void link(const std::string& existing, const std::string& name);
  void node(const std::string& name, std::uint32_t mode, std::uint64_t rdev = 0);
  void xattr(const std::string& name, const std::string& key, const std::string& value);
  void time(const std::string& name, Time modify_time);
  void owner(const std::string& name, std::uint32_t uid, std::uint32_t gid);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] std::unique_ptr<storage::Directory> parent(const std::string& name);

  storage::Env& env_;
  std::string path_;
};

/// Makes one entry of each kind, some with extreme values.
void make_feature_tree(SourceTree& tree);

/// Options for a build of `tree` to `image_path`.
[[nodiscard]] builder::BuildOptions options_for(const SourceTree& tree,
                                                const std::string& image_path);

/// Bytes that do not compress and differ by seed.
[[nodiscard]] std::string noise(std::size_t size_bytes, std::uint64_t seed);

}  // namespace dgfs::test
