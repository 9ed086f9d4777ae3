// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeUpdate: joins the entries of the source with those of the former tree, both in key order, and
// makes the one of the other.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/update/changes.h"
#include "delta/update/entry_update.h"
#include "delta/update/former_tree.h"
#include "delta/update/link_groups.h"
#include "delta/update/removal.h"
#include "delta/update/source_tree.h"
#include "delta/update/update_report.h"
#include "delta/update/update_request.h"
#include "delta/view/directory_walk.h"

namespace dgfs::update {

/// Where an update begins. A value.
struct UpdateRoot {
  view::ObjectNumber directory = view::kRoot;
  std::optional<FormerObject> former;  ///< none: the directory is new
};

/// For one thread, single use. Memory: some 100 bytes for each subdirectory of a directory on the
/// current path that the update has not come to; that of LinkGroups.
class TreeUpdate {
 public:
  /// All must outlive it.
  TreeUpdate(FormerTree& former, Changes& changes, SourceTree& source,
             const UpdateRequest& request);

  /// Errors: as of update().
  [[nodiscard]] Status run();
  /// Adds its counts.
  void report(UpdateReport& report) const;

 private:
  /// A directory of the delta that becomes one of the source.
  struct Directory {
    std::string name;
    view::ObjectNumber object = 0;
    bool is_former = false;    ///< the former tree has it, with names to compare
    bool has_changed = false;  ///< names in it, which changes its time
    Time mtime;
  };
  struct Level {
    std::size_t prefix_bytes = 0;
    std::deque<Directory> pending;  ///< subdirectories, in order
  };

  [[nodiscard]] Result<UpdateRoot> find_root();
  [[nodiscard]] Result<UpdateRoot> make_root(view::ObjectNumber parent, std::string_view name);
  [[nodiscard]] Status begin(const builder::ScannedEntry& root);
  [[nodiscard]] Status enter(const std::string& prefix);
  [[nodiscard]] Status leave();
  [[nodiscard]] Status walk_to(std::string_view name);
  [[nodiscard]] Status take_gone();
  [[nodiscard]] Status take(const builder::ScannedEntry& entry);
  [[nodiscard]] Result<bool> is_same(const FormerObject& former,
                                     const builder::ScannedEntry& entry) const;
  [[nodiscard]] Status take_directory(NamePlan plan);
  [[nodiscard]] Status take_single(const NamePlan& plan);
  [[nodiscard]] Status take_link(NamePlan plan, const builder::LinkName& link, LinkGroup& group);
  [[nodiscard]] Status end_group(LinkGroup& group);
  [[nodiscard]] Status attach(const NamePlan& plan, view::ObjectNumber target);
  [[nodiscard]] Result<std::optional<view::ObjectNumber>> make(const NamePlan& plan);
  [[nodiscard]] Result<bool> may_clear(const NamePlan& plan);
  [[nodiscard]] Status clear(const NamePlan& plan);
  void note_names(const NamePlan& plan);
  void count(Effect effect);
  void show_progress();

  FormerTree& former_;
  Changes& changes_;
  SourceTree& source_;
  const UpdateRequest& request_;
  EntryUpdate entries_;
  Removal removal_;
  LinkGroups groups_;

  std::string prefix_;
  std::vector<Level> levels_;
  Directory directory_;
  std::optional<view::DirectoryWalk> walk_;  ///< of the former names of directory_
  std::uint64_t position_ = 0;               ///< of the entry in the source
  std::map<view::ObjectNumber, Time> late_;  ///< directories whose names changed after they ended
  std::uint64_t changed_ = 0;
  std::uint64_t created_ = 0;
};

}  // namespace dgfs::update
