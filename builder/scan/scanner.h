// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The scan: the first stage of a build. Takes one directory after the other, in key order, listed
// ahead by other threads or by itself, and writes what it sees to the tree spool and, for multiply
// linked objects, to the link sorter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "builder/losses.h"
#include "builder/options.h"
#include "builder/progress.h"
#include "builder/scan/directory_cursor.h"
#include "builder/scan/entry_reader.h"
#include "builder/scan/name_sorter.h"
#include "builder/scan/pending_directories.h"
#include "builder/scan/scan_ahead.h"
#include "builder/spool/link_sorter.h"
#include "builder/spool/tree_spool.h"
#include "builder/stop.h"

namespace dgfs::builder {

/// What the scan learns about the tree as a whole.
struct ScanTotals {
  std::uint64_t entries = 0;
  std::uint64_t content_bytes = 0;  ///< sizes of regular files, each name counted
  std::uint64_t contents = 0;       ///< regular files that are not empty, each name counted
  /// Space that extents will take at least, for the reservation: without holes, and without
  /// multiply linked files, whose names would be counted too often.
  std::uint64_t extent_bytes = 0;
  format::LongHoles long_holes;  ///< by the space that files take
  Time newest_mtime;
  std::vector<std::string> outputs;  ///< paths of what is not packed since it is replaced
};

/// Where the scan puts what it finds. References outlive the scanner.
struct ScanSinks {
  TreeSpool& tree;
  LinkSorter& links;
  LossLog& losses;
  ProgressMeter& progress;
};

/// Where the scan sorts the names of a directory, and in how much memory.
struct NameSpace {
  SpoolPlace place;
  std::size_t memory_bytes = std::size_t{1} << 20;
};

/// Single use. Memory: as much as it may have for names, for each directory on the way some of its
/// subdirectories that are still to be visited, and what ScanAhead holds.
class Scanner {
 public:
  /// @param root  the source; must outlive the scanner
  /// @param outputs  files left out wherever they are met
  /// @param ahead  its device is set by the scanner
  Scanner(const storage::Directory& root, const BuildOptions& options, OutputFiles outputs,
          ScanSinks sinks, NameSpace names, AheadOptions ahead);

  /// Errors: kNotFound, kPermission, kChanged, kLimit with the path (each a loss instead, with
  /// keep_going, below the root); kInterrupted; kIo and kNoSpace of the spools.
  [[nodiscard]] Result<ScanTotals> run();

 private:
  /// A directory some of whose subdirectories are still to be visited.
  struct Level {
    std::size_t prefix_bytes = 0;
    PendingDirectories pending;
  };
  /// The names of a directory that nobody listed ahead. What went wrong with the source is a loss;
  /// what went wrong with the sorter ends the build.
  struct Listing {
    NameSorter names;
    Status source = ok();
    Status sorter = ok();
  };

  [[nodiscard]] Status scan_root();
  [[nodiscard]] Status visit(const PendingDirectory& pending);
  [[nodiscard]] Status visit_listed(const PendingDirectory& pending, ListedDirectory listed);
  [[nodiscard]] Status omit(const PendingDirectory& pending, Error error);
  [[nodiscard]] static Status check_identity(const PendingDirectory& pending,
                                             const FileIdentity& identity, const std::string& path);
  [[nodiscard]] Listing list(const storage::Directory& directory) const;
  [[nodiscard]] Listing enter_and_list(const PendingDirectory& pending);
  [[nodiscard]] Result<const storage::Directory*> enter(const PendingDirectory& pending);
  [[nodiscard]] Status scan_children(const storage::Directory& directory, NameSorter names);
  [[nodiscard]] Status scan_entry(SourceEntry& entry, PendingDirectories& pending);
  [[nodiscard]] Status end_children(PendingDirectories pending);
  [[nodiscard]] Result<std::uint64_t> add(const SourceEntry& source);
  void count(const storage::FileStatus& status);

  const storage::Directory& root_;
  const BuildOptions& options_;
  StopFlag stop_;
  EntryReader entries_;
  ScanSinks sinks_;
  NameSpace names_;
  DirectoryCursor cursor_;
  AheadOptions ahead_options_;
  std::unique_ptr<ScanAhead> ahead_;
  std::uint64_t root_device_ = 0;
  std::string prefix_;  ///< of the directory being scanned
  std::vector<Level> levels_;
  ScanTotals totals_;
};

}  // namespace dgfs::builder
