// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DiffTree: one side of a comparison, an image or a directory of the system.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"

namespace dgfs::tools {

struct DiffEntry {
  std::string name;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t link_count = 1;
  std::uint64_t size_bytes = 0;
  std::uint64_t rdev = 0;
  Time mtime;
  std::uint64_t device = 0;  ///< of the file system; device and inode identify an object
  std::uint64_t inode = 0;
};

/// The contents of a file. A read returns fewer bytes than requested only at the end.
class DiffContent {
 public:
  virtual ~DiffContent() = default;
  DiffContent() = default;
  DiffContent(const DiffContent&) = delete;
  DiffContent& operator=(const DiffContent&) = delete;
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, MutableBytes out) const = 0;
  /// Finds data, as storage::File::next_data() does: ranges outside of segments read as zeros.
  [[nodiscard]] virtual Result<storage::DataSegment> next_data(std::uint64_t offset) const = 0;
};

/// Paths start at the root of the tree: "a/b/name"; "" is the root. Links are never followed. Not
/// thread-safe.
class DiffTree {
 public:
  virtual ~DiffTree() = default;
  DiffTree() = default;
  DiffTree(const DiffTree&) = delete;
  DiffTree& operator=(const DiffTree&) = delete;

  /// Errors: kNotFound, kNotDirectory if nothing has this path.
  [[nodiscard]] virtual Result<DiffEntry> find(const std::string& path) = 0;
  /// Called for names that cannot be read: `path` is the directory, or one of its entries.
  using Trouble = std::function<void(const std::string& path, const Error& error)>;
  /// The readable entries of a directory, sorted by name; `trouble` is called for the others.
  [[nodiscard]] virtual Result<std::vector<DiffEntry>> list(const std::string& path,
                                                            const Trouble& trouble) = 0;
  [[nodiscard]] virtual Result<std::string> read_link(const std::string& path) = 0;
  /// Sorted by name.
  [[nodiscard]] virtual Result<std::vector<Xattr>> xattrs(const std::string& path) = 0;
  /// Must not outlive the tree.
  [[nodiscard]] virtual Result<std::unique_ptr<DiffContent>> open(const std::string& path) = 0;
};

}  // namespace dgfs::tools
