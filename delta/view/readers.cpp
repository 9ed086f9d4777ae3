// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/readers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "delta/view/access_rules.h"
#include "delta/view/directory_walk.h"
#include "delta/view/loop_guard.h"
#include "delta/view/name_rules.h"
#include "delta/view/untouched.h"

namespace dgfs::view {

Result<Entry> Readers::lookup(ObjectNumber directory, std::string_view name) const {
  DGFS_CHECK(check_component(name));
  const auto generation = generations_.current();
  DGFS_TRY(untouched, Untouched(*generation).lookup(directory, name));
  if (untouched) return *std::move(untouched);
  const Moment moment(generation);
  const bool is_special = is_own_name(name);
  NameState found;
  if (!is_special) {
    DGFS_TRY(state, moment.name(directory, name));
    found = std::move(state);
  }
  if (!found.dentry) {
    DGFS_TRY(record, moment.needed_record(directory));
    if (!format::is_directory(record.attributes.mode)) {
      return Error(ErrorKind::kNotDirectory, 7372, "not a directory");
    }
    if (!is_special) return Error(ErrorKind::kNotFound, 7373, "no such name");
    if (name == ".") return Entry{directory, record.attributes};
    DGFS_TRY(parent, moment.parent(directory));
    DGFS_TRY(above, moment.needed_record(parent));
    return Entry{parent, above.attributes};
  }
  const auto object = found.dentry->object;
  DGFS_TRY(record, moment.record(object, found.node ? &*found.node : nullptr));
  if (!record) {
    return Error(ErrorKind::kCorrupt, 7374, "a name leads to no object").in_section("delta");
  }
  return Entry{object, record->attributes};
}

Result<Attributes> Readers::attributes(ObjectNumber object) const {
  const auto generation = generations_.current();
  DGFS_TRY(untouched, Untouched(*generation).record(object));
  if (untouched) return untouched->attributes;
  DGFS_TRY(record, Moment(generation).needed_record(object));
  return record.attributes;
}

Result<std::string> Readers::read_link(ObjectNumber object) const {
  const Moment moment(generations_.current());
  DGFS_TRY(record, moment.needed_record(object));
  if (!format::is_symlink(record.attributes.mode)) {
    return Error(ErrorKind::kInvalidArgument, 7378, "not a symlink");
  }
  return moment.target(object);
}

Result<std::vector<std::string>> Readers::paths(ObjectNumber object) const {
  const Moment moment(generations_.current());
  DGFS_CHECK(moment.needed_record(object));
  std::vector<std::string> paths;
  if (object == kRoot) return std::vector<std::string>{""};
  DGFS_TRY(names, moment.names(object));
  for (NamePlace place : names) {
    auto path = place.name;
    LoopGuard guard;
    while (place.directory != kRoot) {
      DGFS_CHECK(guard.pass(place.directory));
      DGFS_TRY(above, moment.names(place.directory));
      if (above.empty()) break;
      place = above.front();
      path = place.name + "/" + path;
    }
    if (place.directory == kRoot) paths.push_back(std::move(path));
  }
  std::ranges::sort(paths);
  return paths;
}

// Programs that copy files ask for the attributes of each of them, and most have none.
Result<Buffer> Readers::xattr(ObjectNumber object, std::string_view name) const {
  DGFS_CHECK(check_xattr_name(name));
  const auto generation = generations_.current();
  DGFS_TRY(untouched, Untouched(*generation).record(object));
  std::optional<std::string> value;
  if (untouched && !may_have_xattrs(*untouched)) {
    DGFS_CHECK(check_may_have_xattr(untouched->attributes.mode, name));
  } else {
    DGFS_TRY(found, find_xattr(generation, object, name));
    value = std::move(found);
  }
  if (!value) return Error(ErrorKind::kNoAttribute, 7379, "no such attribute");
  return buffer_of(*value);
}

Result<std::optional<std::string>> Readers::find_xattr(const GenerationRef& generation,
                                                       ObjectNumber object, std::string_view name) {
  const Moment moment(generation);
  DGFS_TRY(record, moment.needed_record(object));
  DGFS_CHECK(check_may_have_xattr(record.attributes.mode, name));
  if (!may_have_xattrs(record)) return std::optional<std::string>();
  return moment.xattr(object, name);
}

Result<std::vector<std::string>> Readers::xattr_names(ObjectNumber object) const {
  const auto generation = generations_.current();
  DGFS_TRY(untouched, Untouched(*generation).record(object));
  if (untouched && !may_have_xattrs(*untouched)) return std::vector<std::string>();
  const Moment moment(generation);
  DGFS_TRY(record, moment.needed_record(object));
  if (!may_have_xattrs(record)) return std::vector<std::string>();
  return moment.xattr_names(object);
}

Status Readers::list(ObjectNumber directory, std::string_view after,
                     const std::function<bool(const ListedName&)>& visit) const {
  const Moment moment(generations_.current());
  DGFS_TRY(record, moment.needed_record(directory));
  if (!format::is_directory(record.attributes.mode)) {
    return Error(ErrorKind::kNotDirectory, 7380, "not a directory");
  }
  if (record.attributes.link_count == 0) return ok();
  DGFS_TRY(walk, DirectoryWalk::make(moment, directory));
  DGFS_CHECK(walk.seek_behind(after));
  while (walk.is_at_name() && visit({walk.name(), walk.dentry().object, walk.dentry().type})) {
    DGFS_CHECK(walk.next());
  }
  return ok();
}

}  // namespace dgfs::view
