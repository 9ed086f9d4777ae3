// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A directory tree on the real file system, made by a test and removed with it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::test {

/// All calls take paths below the root, and end the test program if the system refuses.
class ScratchTree {
 public:
  ScratchTree();
  ~ScratchTree();
  ScratchTree(const ScratchTree&) = delete;
  ScratchTree& operator=(const ScratchTree&) = delete;

  [[nodiscard]] std::string path(std::string_view name = "") const;

  /// Lets other users through the root; for tests that become one.
  void open_to_all() const;
  void directory(const std::string& name, mode_t mode = 0755) const;
  void file(const std::string& name, std::string_view content, mode_t mode = 0644) const;
  /// Writes at an offset; unwritten bytes before it are a hole.
  void write_at(const std::string& name, std::string_view content, off_t offset) const;
  void symlink(const std::string& name, const std::string& target) const;
  void hard_link(const std::string& name, const std::string& existing) const;
  void node(const std::string& name, mode_t mode, dev_t device = 0) const;
  void xattr(const std::string& name, const std::string& key, std::string_view value) const;
  void owner(const std::string& name, uid_t uid, gid_t gid) const;
  void modified(const std::string& name, std::int64_t seconds, long nanoseconds) const;

 private:
  std::string root_;
};

/// Bytes without repeats, different for each seed.
[[nodiscard]] std::string noise(std::size_t size_bytes, std::uint64_t seed);
/// Returns the whole content. If a call fails, `*failure` gets its errno, and the result is what
/// was read before.
[[nodiscard]] std::string slurp(const std::string& path, int* failure = nullptr);
[[nodiscard]] struct stat lstat_of(const std::string& path);

}  // namespace dgfs::test
