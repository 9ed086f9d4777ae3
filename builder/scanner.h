// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The scan: the first stage of a build. Lists one directory at a time, in key order, and writes
// what it sees to the tree spool and, for multiply linked objects, to the link sorter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builder/build.h"
#include "builder/directory_cursor.h"
#include "builder/exclude.h"
#include "builder/link_sorter.h"
#include "builder/losses.h"
#include "builder/progress.h"
#include "builder/stop.h"
#include "builder/tree_spool.h"

namespace dgfs::builder {

/// Identity of a file, to recognise it wherever it is met.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// What the scan learns about the tree as a whole.
struct ScanTotals {
  std::uint64_t entries = 0;
  std::uint64_t content_bytes = 0;  ///< sizes of regular files, each name counted
  /// Space that extents will take at least, for the reservation: without holes, and without
  /// multiply linked files, whose names would be counted too often.
  std::uint64_t extent_bytes = 0;
  Time newest_mtime;
};

/// Where the scan puts what it finds. References outlive the scanner.
struct ScanSinks {
  TreeSpool& tree;
  LinkSorter& links;
  LossLog& losses;
  ProgressMeter& progress;
};

/// Single use, one thread. Memory: the names of one directory, and of the subdirectories on the
/// way that are still to be visited.
class Scanner {
 public:
  /// @param root  the source; must outlive the scanner
  /// @param skip  files left out wherever they are met: the outputs
  Scanner(const storage::Directory& root, const BuildOptions& options,
          std::vector<FileIdentity> skip, ScanSinks sinks);

  /// Errors: kNotFound, kPermission, kChanged, kLimit with the path (each a loss instead, with
  /// keep_going, below the root); kInterrupted; kIo and kNoSpace of the spools.
  [[nodiscard]] Result<ScanTotals> run();

 private:
  struct Pending {
    std::string name;
    FileIdentity identity;
    std::uint64_t record_offset = 0;
  };
  /// A directory some of whose subdirectories are still to be visited, last one first.
  struct Level {
    std::size_t prefix_bytes = 0;
    std::vector<Pending> pending;
  };
  /// What is read of one entry beside its status.
  struct Details {
    std::string target;
    Buffer xattrs;
  };

  [[nodiscard]] Status scan_root();
  [[nodiscard]] Status visit_next();
  [[nodiscard]] Result<std::vector<std::string>> list(const storage::Directory& directory) const;
  [[nodiscard]] Result<const storage::Directory*> enter(const Pending& pending);
  [[nodiscard]] Status scan_children(const storage::Directory& directory,
                                     std::vector<std::string> names);
  [[nodiscard]] Status scan_name(const storage::Directory& directory, const std::string& name,
                                 std::vector<Pending>& pending);
  [[nodiscard]] Result<Details> read_details(const storage::Directory& directory,
                                             std::string_view name,
                                             const storage::FileStatus& status) const;
  [[nodiscard]] Result<std::uint64_t> add(std::string_view name, const storage::FileStatus& status,
                                          const Details& details);
  void count(const storage::FileStatus& status);
  [[nodiscard]] bool is_skipped(const storage::FileStatus& status) const;

  const storage::Directory& root_;
  const BuildOptions& options_;
  StopFlag stop_;
  ExcludeList exclude_;
  std::vector<FileIdentity> skip_;
  ScanSinks sinks_;
  DirectoryCursor cursor_;
  std::uint64_t root_device_ = 0;
  std::string prefix_;  ///< of the directory being scanned
  std::vector<Level> levels_;
  ScanTotals totals_;
};

}  // namespace dgfs::builder
