// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LinkGroups: which objects of the delta become which objects of the source. An object of the
// source with several names becomes a former object if one of its names leads to one that no other
// has taken; the first such name in key order decides, so the result depends on the trees alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "delta/update/entry_update.h"
#include "delta/update/former_tree.h"
#include "delta/update/removal.h"
#include "delta/update/source_tree.h"

namespace dgfs::update {

/// A name of the source in a directory of the delta. A value.
struct NamePlan {
  view::ObjectNumber directory = 0;
  Time directory_mtime;
  SourceItem item;
  std::optional<FormerObject> former;  ///< at the same name
};

/// An object of the source with several names. A value.
struct LinkGroup {
  std::uint64_t names_left = 0;              ///< that the update has not come to
  std::optional<view::ObjectNumber> target;  ///< none: not known yet
  bool is_left = false;                      ///< the source could not be read
  std::vector<NamePlan> waiting;             ///< names until the target is known
};

/// For one thread. Memory: some 50 bytes for each former object with several names, and for each
/// object of the source with several names while not all of them were seen; names that wait.
class LinkGroups {
 public:
  /// @param at       path in the tree of the delta that the source stands for
  /// @param deletes  as of UpdateRequest
  /// All must outlive it.
  LinkGroups(FormerTree& former, const EntryUpdate& entries, const Removal& removal,
             SourceTree& source, std::string at, bool deletes)
      : former_(former),
        entries_(entries),
        removal_(removal),
        source_(source),
        at_(std::move(at)),
        deletes_(deletes) {}

  /// The group of a name; null: it is the only one of its object.
  /// @param link  of the name
  [[nodiscard]] LinkGroup* find(const builder::LinkName& link);
  /// The last name of the group was seen.
  void end(const builder::LinkName& link) { groups_.erase(link.first_position); }
  /// Whether a former object, reached by the item's name, may become the item by edits. The answer
  /// yes is given once for each object. No, if a name that stays leads to it, too, and would show
  /// what is edited.
  [[nodiscard]] Result<bool> claim(const FormerObject& former, const SourceItem& item);

 private:
  [[nodiscard]] Result<bool> has_staying_name(const FormerObject& former);
  [[nodiscard]] Result<bool> stays(const view::NamePlace& place);
  [[nodiscard]] bool has_source(const std::string& path);

  FormerTree& former_;
  const EntryUpdate& entries_;
  const Removal& removal_;
  SourceTree& source_;
  const std::string at_;
  const bool deletes_;
  std::unordered_map<std::uint64_t, LinkGroup> groups_;  ///< by the position of the first name
  std::unordered_set<view::ObjectNumber> claimed_;       ///< former objects with several names
};

}  // namespace dgfs::update
