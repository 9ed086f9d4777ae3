// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeScan: adds all entries of an image and its delta, at one moment, to the sinks of a build.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "builder/pack/kept_extents.h"
#include "builder/scan/pending_directories.h"
#include "builder/scan/scanner.h"
#include "builder/stop.h"
#include "delta/merge/merge_tree_options.h"
#include "delta/view/directory_walk.h"
#include "delta/view/moment.h"
#include "format/entry/entry.h"

namespace dgfs::merge {

/// Numbers of volumes in the image, and in the new one. Contents in other volumes are packed anew.
using KeptNumbers = std::map<format::VolumeNumber, format::VolumeNumber>;

/// Single use. Memory: some pending subdirectories for each directory on the current path.
class TreeScan {
 public:
  /// All must outlive the scan.
  TreeScan(const view::Moment& moment, const MergeTreeOptions& options, const KeptNumbers& numbers,
           const builder::StopFlag& stop, const builder::ScanSinks& sinks,
           builder::KeptExtents& kept)
      : moment_(moment),
        options_(options),
        numbers_(numbers),
        stop_(stop),
        sinks_(sinks),
        kept_(kept) {}

  /// As of builder::KeptTree::scan().
  [[nodiscard]] Result<builder::ScanTotals> run();

 private:
  /// A directory with subdirectories that are still to be visited.
  struct Level {
    std::size_t prefix_bytes = 0;
    builder::PendingDirectories pending;
  };
  /// An object, and what the image has under its number.
  struct Found {
    view::ObjectNumber object = 0;
    view::Attributes attributes;
    bool may_have_xattrs = false;
    bool is_untouched = false;         ///< no store has records of it
    std::optional<reader::Node> node;  ///< none: the image has no such object
  };

  [[nodiscard]] Status scan_children(view::ObjectNumber directory);
  [[nodiscard]] Status scan_nameless();
  [[nodiscard]] Status add_name(const view::DirectoryWalk& walk,
                                builder::PendingDirectories& pending);
  [[nodiscard]] Result<Found> find(view::ObjectNumber object,
                                   const std::optional<reader::Node>& node) const;
  /// @param flags  of the entry
  [[nodiscard]] Result<std::uint64_t> add(const Found& found, std::string_view name,
                                          std::uint8_t flags = 0);
  [[nodiscard]] Status add_details(const Found& found, builder::ScannedEntry& entry);
  [[nodiscard]] Status keep_content(const Found& found, builder::ScannedEntry& entry);
  [[nodiscard]] Result<bool> has_chunks(view::ObjectNumber object) const;
  [[nodiscard]] bool lies_in_its_volume(const reader::Node& node) const;
  /// @param allocated_bytes  of the file, which may have holes
  [[nodiscard]] Status count(const builder::ScannedEntry& entry, std::uint64_t allocated_bytes);
  [[nodiscard]] std::string path_of(std::string_view name) const;
  [[nodiscard]] const reader::Image& image() const { return moment_.layers().bottom().image(); }

  const view::Moment& moment_;
  const MergeTreeOptions& options_;
  const KeptNumbers& numbers_;
  const builder::StopFlag& stop_;
  const builder::ScanSinks& sinks_;
  builder::KeptExtents& kept_;
  std::string prefix_;  ///< of the directory being scanned
  std::vector<Level> levels_;
  builder::ScanTotals totals_;
  // Of the entry being added.
  std::string target_;
  Buffer xattrs_;
  Buffer sparse_map_;
  format::Digest digest_{};
};

}  // namespace dgfs::merge
