// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/link_groups.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dgfs::update {

LinkGroup* LinkGroups::find(const builder::LinkName& link) {
  if (!link.is_link() || (link.is_first() && link.name_count == 1)) return nullptr;
  auto& group = groups_[link.first_position];
  if (link.is_first()) group.names_left = link.name_count;
  return &group;
}

Result<bool> LinkGroups::claim(const FormerObject& former, const SourceItem& item) {
  if (former.attributes.link_count <= 1) return true;
  if (claimed_.contains(former.object)) return false;
  // All other names go, or lead elsewhere once the update has come to them.
  const bool is_whole =
      deletes_ && at_.empty() && source_.includes_everything() && !source_.keeps_going();
  if (!is_whole) {
    DGFS_TRY(is_shown, has_staying_name(former));
    if (is_shown) {
      DGFS_TRY(is_changing, entries_.differs(former, item.facts()));
      if (is_changing) return false;
    }
  }
  claimed_.insert(former.object);
  return true;
}

Result<bool> LinkGroups::has_staying_name(const FormerObject& former) {
  DGFS_TRY(places, former_.names(former.object));
  if (places.size() < former.attributes.link_count) return true;
  for (const view::NamePlace& place : places) {
    DGFS_TRY(does_stay, stays(place));
    if (does_stay) return true;
  }
  return false;
}

Result<bool> LinkGroups::stays(const view::NamePlace& place) {
  DGFS_TRY(directory, former_.path_of(place.directory));
  std::string path = directory.empty() ? place.name : directory + "/" + place.name;
  if (!at_.empty()) {
    if (!path.starts_with(at_ + "/")) return true;
    path.erase(0, at_.size() + 1);
  }
  for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    if (removal_.stays(path.substr(0, slash), true)) return true;
  }
  return removal_.stays(path, false) || (!deletes_ && !has_source(path));
}

bool LinkGroups::has_source(const std::string& path) {
  const auto slash = path.rfind('/');
  std::string prefix;
  if (slash != path.npos) {
    prefix = path.substr(0, slash + 1);
    std::ranges::replace(prefix, '/', '\0');
  }
  const auto directory = source_.enter(prefix);
  if (!directory) return false;
  const auto name = std::string_view(path).substr(slash == path.npos ? 0 : slash + 1);
  return directory.value()->status(name).has_value();
}

}  // namespace dgfs::update
