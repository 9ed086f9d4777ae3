// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The names of a ModelTree. Objects: model_objects.cpp.
#include "tests/delta/view/model/model_tree.h"

#include "format/limits.h"

namespace dgfs::test {
namespace {

using view::Entry;
using Renamed = view::View::Renamed;

constexpr std::uint32_t kSetGid = 02000;

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

}  // namespace

Answer<const ModelObject*> ModelTree::find(ModelId id) const {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return ErrorKind::kNotFound;
  return &found->second;
}

Answer<ModelObject*> ModelTree::find(ModelId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return ErrorKind::kNotFound;
  return &found->second;
}

Answer<void> ModelTree::check_directory(ModelId id) const {
  DGFS_TRY(object, find(id));
  if (!format::is_directory(object->attributes.mode)) return ErrorKind::kNotDirectory;
  return boost::outcome_v2::success();
}

Answer<void> ModelTree::check_place(ModelId directory, std::string_view name) const {
  if (objects_.at(directory).attributes.link_count == 0) return ErrorKind::kNotFound;
  if (name.empty() || name.find('/') != name.npos || name.find('\0') != name.npos) {
    return ErrorKind::kInvalidArgument;
  }
  if (name.size() > format::kNameBytesMax) return ErrorKind::kNameTooLong;
  return boost::outcome_v2::success();
}

Answer<void> ModelTree::check_free(ModelId directory, std::string_view name) const {
  DGFS_CHECK(check_directory(directory));
  if (is_dots(name)) return ErrorKind::kExists;
  DGFS_CHECK(check_place(directory, name));
  if (objects_.at(directory).names.contains(name)) return ErrorKind::kExists;
  return boost::outcome_v2::success();
}

Answer<ModelId> ModelTree::named(ModelId directory, std::string_view name) const {
  DGFS_CHECK(check_place(directory, name));
  const auto& names = objects_.at(directory).names;
  const auto found = names.find(name);
  if (found == names.end()) return ErrorKind::kNotFound;
  return found->second;
}

ModelId ModelTree::parent_of(ModelId directory) const {
  if (directory == view::kRoot) return view::kRoot;
  const auto& places = objects_.at(directory).places;
  return places.empty() ? 0 : places.begin()->first;
}

bool ModelTree::is_within(ModelId directory, ModelId ancestor) const {
  while (directory != ancestor && directory != view::kRoot && directory != 0) {
    directory = parent_of(directory);
  }
  return directory == ancestor;
}

Entry ModelTree::entry(ModelId id) const { return {id, objects_.at(id).attributes}; }

// Changes of the tree, which cannot fail.

void ModelTree::attach(ModelId directory, std::string_view name, ModelId id) {
  auto& parent = objects_.at(directory);
  auto& object = objects_.at(id);
  parent.names.emplace(name, id);
  object.places.emplace(directory, name);
  ++parent.attributes.children;
  if (format::is_directory(object.attributes.mode)) ++parent.attributes.link_count;
}

void ModelTree::detach(ModelId directory, std::string_view name) {
  auto& parent = objects_.at(directory);
  const auto found = parent.names.find(name);
  auto& object = objects_.at(found->second);
  object.places.erase({directory, std::string(name)});
  --parent.attributes.children;
  if (format::is_directory(object.attributes.mode)) --parent.attributes.link_count;
  parent.names.erase(found);
}

void ModelTree::drop_name(ModelId id) {
  auto& attributes = objects_.at(id).attributes;
  if (format::is_directory(attributes.mode)) {
    attributes.link_count = 0;
  } else {
    --attributes.link_count;
  }
  attributes.ctime = now_;
}

void ModelTree::touch_names(ModelId directory) {
  auto& attributes = objects_.at(directory).attributes;
  attributes.mtime = attributes.ctime = now_;
}

ModelId ModelTree::make(ModelId directory, std::uint32_t mode, const view::Credentials& who) {
  const auto& parent = objects_.at(directory).attributes;
  const bool inherits_group = (parent.mode & kSetGid) != 0;
  if (!format::is_symlink(mode)) mode &= ~(who.umask & 0777);
  if (inherits_group && format::is_directory(mode)) mode |= kSetGid;
  ModelObject made;
  made.attributes.mode = mode;
  made.attributes.uid = who.uid;
  made.attributes.gid = inherits_group ? parent.gid : who.gid;
  made.attributes.link_count = format::is_directory(mode) ? 2 : 1;
  if (format::is_directory(mode)) made.attributes.size_bytes = format::kPageBytes;
  made.attributes.mtime = made.attributes.ctime = made.attributes.atime = now_;
  objects_.emplace(next_id_, std::move(made));
  return next_id_++;
}

// The operations.

Answer<Entry> ModelTree::lookup(ModelId directory, std::string_view name) const {
  DGFS_CHECK(check_directory(directory));
  if (name == ".") return entry(directory);
  if (name == "..") {
    const ModelId parent = parent_of(directory);
    if (parent == 0) return ErrorKind::kNotFound;
    return entry(parent);
  }
  DGFS_TRY(id, named(directory, name));
  return entry(id);
}

Answer<Entry> ModelTree::create(ModelId directory, std::string_view name,
                                const view::NewObject& object, const view::Credentials& who) {
  if (!format::is_valid_mode(object.mode) || format::is_directory(object.mode) ||
      format::is_symlink(object.mode)) {
    return ErrorKind::kInvalidArgument;
  }
  DGFS_CHECK(check_free(directory, name));
  const ModelId id = make(directory, object.mode, who);
  if (format::is_device(object.mode)) objects_.at(id).attributes.rdev = object.rdev;
  attach(directory, name, id);
  touch_names(directory);
  return entry(id);
}

Answer<Entry> ModelTree::create_unnamed(ModelId directory, std::uint32_t permissions,
                                        const view::Credentials& who) {
  DGFS_CHECK(check_directory(directory));
  if (objects_.at(directory).attributes.link_count == 0) return ErrorKind::kNotFound;
  const ModelId id = make(directory, format::kTypeRegular | permissions, who);
  objects_.at(id).attributes.link_count = 0;
  objects_.at(id).is_linkable = true;
  return entry(id);
}

Answer<Entry> ModelTree::make_directory(ModelId directory, std::string_view name,
                                        std::uint32_t permissions, const view::Credentials& who) {
  DGFS_CHECK(check_free(directory, name));
  const ModelId id = make(directory, format::kTypeDirectory | permissions, who);
  attach(directory, name, id);
  touch_names(directory);
  return entry(id);
}

Answer<Entry> ModelTree::make_symlink(ModelId directory, std::string_view name,
                                      std::string_view target, const view::Credentials& who) {
  if (target.empty()) return ErrorKind::kNotFound;
  if (target.size() > format::kTargetBytesMax) return ErrorKind::kNameTooLong;
  DGFS_CHECK(check_free(directory, name));
  const ModelId id = make(directory, format::kTypeSymlink | 0777, who);
  objects_.at(id).target = target;
  objects_.at(id).attributes.size_bytes = target.size();
  attach(directory, name, id);
  touch_names(directory);
  return entry(id);
}

Answer<Entry> ModelTree::link(ModelId object, ModelId directory, std::string_view name) {
  DGFS_TRY(linked, find(object));
  DGFS_CHECK(check_free(directory, name));
  if (format::is_directory(linked->attributes.mode)) return ErrorKind::kNotPermitted;
  if (linked->attributes.link_count == 0 && !linked->is_linkable) return ErrorKind::kNotFound;
  linked->is_linkable = false;
  ++linked->attributes.link_count;
  linked->attributes.ctime = now_;
  attach(directory, name, object);
  touch_names(directory);
  return entry(object);
}

Answer<Entry> ModelTree::unlink(ModelId directory, std::string_view name) {
  DGFS_CHECK(check_directory(directory));
  if (is_dots(name)) return ErrorKind::kIsDirectory;
  DGFS_TRY(id, named(directory, name));
  if (format::is_directory(objects_.at(id).attributes.mode)) return ErrorKind::kIsDirectory;
  detach(directory, name);
  drop_name(id);
  touch_names(directory);
  return entry(id);
}

Answer<Entry> ModelTree::remove_directory(ModelId directory, std::string_view name) {
  DGFS_CHECK(check_directory(directory));
  if (name == ".") return ErrorKind::kInvalidArgument;
  if (name == "..") return ErrorKind::kNotEmpty;
  DGFS_TRY(id, named(directory, name));
  if (!format::is_directory(objects_.at(id).attributes.mode)) return ErrorKind::kNotDirectory;
  if (!objects_.at(id).names.empty()) return ErrorKind::kNotEmpty;
  detach(directory, name);
  drop_name(id);
  touch_names(directory);
  return entry(id);
}

Answer<void> ModelTree::check_replaced(ModelId moved, ModelId target) const {
  const bool is_directory = format::is_directory(objects_.at(moved).attributes.mode);
  const auto& replaced = objects_.at(target);
  const bool has_directory = format::is_directory(replaced.attributes.mode);
  if (is_directory && !has_directory) return ErrorKind::kNotDirectory;
  if (!is_directory && has_directory) return ErrorKind::kIsDirectory;
  if (!replaced.names.empty()) return ErrorKind::kNotEmpty;
  return boost::outcome_v2::success();
}

Answer<Renamed> ModelTree::rename(ModelId from, std::string_view old_name, ModelId to,
                                  std::string_view new_name, view::RenameMode mode,
                                  const std::optional<view::Credentials>& whiteout) {
  const bool exchanges = mode == view::RenameMode::kExchange;
  if (exchanges && whiteout) return ErrorKind::kInvalidArgument;
  DGFS_CHECK(check_directory(from));
  DGFS_CHECK(check_directory(to));
  // Linux returns EBUSY without asking the file system.
  if (is_dots(old_name) || is_dots(new_name)) return ErrorKind::kInvalidArgument;
  DGFS_TRY(moved, named(from, old_name));
  const auto found = named(to, new_name);
  const ModelId target = found ? found.assume_value() : 0;
  DGFS_CHECK(check_place(to, new_name));
  if (target == 0 && exchanges) return ErrorKind::kNotFound;
  if (target != 0 && mode == view::RenameMode::kNoReplace) return ErrorKind::kExists;
  if (is_within(to, moved)) return ErrorKind::kInvalidArgument;
  if (target != 0 && is_within(from, target)) {
    return exchanges ? ErrorKind::kInvalidArgument : ErrorKind::kNotEmpty;
  }
  if (target == moved) return Renamed{moved, {}};
  if (target != 0 && !exchanges) {
    DGFS_CHECK(check_replaced(moved, target));
  }

  detach(from, old_name);
  if (target != 0) detach(to, new_name);
  attach(to, new_name, moved);
  objects_.at(moved).attributes.ctime = now_;
  if (exchanges) {
    attach(from, old_name, target);
    objects_.at(target).attributes.ctime = now_;
  } else if (target != 0) {
    drop_name(target);
  }
  if (whiteout) attach(from, old_name, make(from, format::kTypeCharacterDevice, *whiteout));
  touch_names(from);
  touch_names(to);
  return Renamed{moved, target == 0 ? Entry{} : entry(target)};
}

}  // namespace dgfs::test
