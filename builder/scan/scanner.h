// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The scan: the first stage of a build. It visits the directories in key order; other threads have
// listed them ahead, or it lists them itself. It writes all entries to the tree spool, and names of
// multiply linked objects also to the link sorter.
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
#include "builder/scan/entry_rules.h"
#include "builder/scan/name_sorter.h"
#include "builder/scan/pending_directories.h"
#include "builder/scan/scan_ahead.h"
#include "builder/spool/link_sorter.h"
#include "builder/spool/tree_spool.h"
#include "builder/stop.h"

namespace dgfs::builder {

/// Totals of the scanned tree.
struct ScanTotals {
  std::uint64_t entries = 0;
  std::uint64_t content_bytes = 0;  ///< sizes of regular files, each name counted
  std::uint64_t contents = 0;       ///< regular files that are not empty, each name counted
  std::uint64_t packed_bytes = 0;   ///< sizes of these
  /// Space to reserve for extents, a lower bound: without holes, and without multiply linked files,
  /// which would count once for each name.
  std::uint64_t extent_bytes = 0;
  format::LongHoles long_holes;  ///< estimated from the space that files take
  Time newest_mtime;
  std::vector<std::string> outputs;  ///< paths of output files, which are not packed
};

/// Receivers of the scan's results. The references must outlive the scanner.
struct ScanSinks {
  TreeSpool& tree;
  LinkSorter& links;
  LossLog& losses;
  ProgressMeter& progress;
};

/// Place and memory for sorting the names of a directory.
struct NameSpace {
  SpoolPlace place;
  std::size_t memory_bytes = std::size_t{1} << 20;
};

/// Single use. Memory: the memory for names, some pending subdirectories for each directory on the
/// current path, and the memory of ScanAhead.
class Scanner {
 public:
  /// @param root  the source; must outlive the scanner
  /// @param rules    overrides of attributes
  /// @param outputs  files that are never packed
  /// @param ahead  the scanner sets its device
  Scanner(const storage::Directory& root, const BuildOptions& options, const EntryRules& rules,
          OutputFiles outputs, ScanSinks sinks, NameSpace names, AheadOptions ahead);

  /// Scans the tree. Errors: kNotFound, kPermission, kChanged, kLimit with the path (with
  /// keep_going, each is a loss instead, except at the root); kInterrupted; kIo and kNoSpace of the
  /// spools.
  [[nodiscard]] Result<ScanTotals> run();

 private:
  /// A directory with subdirectories that are still to be visited.
  struct Level {
    std::size_t prefix_bytes = 0;
    PendingDirectories pending;
  };
  /// The names of a directory that was not listed ahead. An error of the source is a loss; an error
  /// of the sorter ends the build.
  struct Listing {
    NameSorter names;
    Status source = ok();
    Status sorter = ok();
  };

  [[nodiscard]] Status scan_root();
  [[nodiscard]] Status visit(const PendingDirectory& pending);
  [[nodiscard]] Status visit_listed(const PendingDirectory& pending, ListedDirectory listed);
  [[nodiscard]] Status omit(const PendingDirectory& pending, Error error);
  [[nodiscard]] Status check_same(const PendingDirectory& pending,
                                  const storage::FileStatus& opened, const std::string& path);
  [[nodiscard]] Listing list(const storage::Directory& directory) const;
  [[nodiscard]] Listing enter_and_list(const PendingDirectory& pending);
  [[nodiscard]] Result<const storage::Directory*> enter(const PendingDirectory& pending);
  [[nodiscard]] Status scan_children(const storage::Directory& directory, NameSorter names);
  [[nodiscard]] Status scan_entry(SourceEntry& entry, PendingDirectories& pending);
  [[nodiscard]] Status end_children(PendingDirectories pending);
  [[nodiscard]] Status add_losses(SourceEntry& source);
  [[nodiscard]] Result<std::uint64_t> add(const SourceEntry& source);
  void count(const storage::FileStatus& status);

  const storage::Directory& root_;
  const BuildOptions& options_;
  EntryRules rules_;
  StopFlag stop_;
  EntryReader entries_;
  ScanSinks sinks_;
  NameSpace names_;
  DirectoryCursor cursor_;
  AheadOptions ahead_options_;
  std::unique_ptr<ScanAhead> ahead_;
  std::uint64_t root_device_ = 0;
  std::string prefix_;  ///< prefix of the directory being scanned
  std::vector<Level> levels_;
  ScanTotals totals_;
};

}  // namespace dgfs::builder
