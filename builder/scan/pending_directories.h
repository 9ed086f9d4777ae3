// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The subdirectories of one directory that the scan has still to visit. The first ones are kept;
// where there are more, they are read again from the tree spool, in which they stand together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "builder/spool/tree_spool.h"

namespace dgfs::builder {

/// Identity of a file, to recognise it wherever it is met.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct PendingDirectory {
  std::string name;
  FileIdentity identity;
  std::uint64_t record_offset = 0;  ///< in the tree spool
};

/// Memory: kHeldMax subdirectories, kReleasedHeldMax after release(). Not thread-safe.
class PendingDirectories {
 public:
  /// @param tree  outlives this; children of other directories must not be added to it before end()
  explicit PendingDirectories(const TreeSpool& tree) : tree_(&tree) {}

  /// In the order of their records.
  void add(PendingDirectory directory);
  /// The last child of the directory, of whatever kind, is in the spool.
  void end();

  [[nodiscard]] bool empty() const { return held_.empty(); }
  /// Keeps but a few, for as long as much else is to be visited. After end().
  void release();
  /// In the order of add(); nullopt after the last. Errors: those of TreeReader::next.
  [[nodiscard]] Result<std::optional<PendingDirectory>> next();

  static constexpr std::size_t kHeldMax = 256;
  /// After release(). Reading on begins anew at each of so many, over whatever files are between.
  static constexpr std::size_t kReleasedHeldMax = 4;

 private:
  [[nodiscard]] Status refill();

  const TreeSpool* tree_;
  std::vector<PendingDirectory> held_;
  std::size_t at_ = 0;
  std::optional<std::uint64_t> more_from_;  ///< record of the first one that is not held
  std::uint64_t end_ = 0;                   ///< of the records of the directory's children
};

}  // namespace dgfs::builder
