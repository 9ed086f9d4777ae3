// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The subdirectories of one directory that the scan still has to visit. The first ones stay in
// memory; further ones are read again from the tree spool, where they stand together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "builder/spool/tree_spool.h"

namespace dgfs::builder {

/// Identity of a file, by which the scan recognises it under any name.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct PendingDirectory {
  std::string name;
  FileIdentity identity;
  std::uint64_t record_offset = 0;  ///< offset in the tree spool
};

/// Memory: kHeldMax subdirectories, kReleasedHeldMax after release(). Not thread-safe.
class PendingDirectories {
 public:
  /// @param tree  must outlive this; no children of other directories may be added to it before
  ///              end()
  explicit PendingDirectories(const TreeSpool& tree) : tree_(&tree) {}

  /// Adds a subdirectory, in the order of their records.
  void add(PendingDirectory directory);
  /// Must be called when the last child of the directory, of any type, is in the spool.
  void end();

  [[nodiscard]] bool empty() const { return held_.empty(); }
  /// Keeps only a few in memory, for use while deeper levels are visited. Call it after end().
  void release();
  /// The next subdirectory in the order of add(); nullopt after the last. Errors: those of
  /// TreeReader::next().
  [[nodiscard]] Result<std::optional<PendingDirectory>> next();

  static constexpr std::size_t kHeldMax = 256;
  /// Subdirectories kept by release(). With fewer, the spool is read again more often, over all
  /// files between subdirectories.
  static constexpr std::size_t kReleasedHeldMax = 4;

 private:
  [[nodiscard]] Status refill();

  const TreeSpool* tree_;
  std::vector<PendingDirectory> held_;
  std::size_t at_ = 0;
  std::optional<std::uint64_t> more_from_;  ///< record of the first one that is not in held_
  std::uint64_t end_ = 0;                   ///< end of the records of the directory's children
};

}  // namespace dgfs::builder
