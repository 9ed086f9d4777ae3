// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/image_bottom.h"

#include <utility>

#include "format/limits.h"

namespace dgfs::view {
namespace {

bool is_absence(const Error& error) {
  return error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kNotDirectory;
}

template <class T>
Result<std::optional<T>> unless_absent(Result<T> result) {
  if (result) return std::optional<T>(std::move(result).value());
  if (is_absence(result.error())) return std::optional<T>();
  return std::move(result).error();
}

}  // namespace

Result<std::optional<reader::Node>> ImageBottom::node(ObjectNumber object) const {
  if (!may_have(object)) return std::optional<reader::Node>();
  return unless_absent(image_.by_inode(object));
}

Result<std::optional<reader::Node>> ImageBottom::child(ObjectNumber directory,
                                                       std::string_view name) const {
  if (!may_have(directory)) return std::optional<reader::Node>();
  return unless_absent(image_.lookup(directory, name));
}

Result<AttributesRecord> ImageBottom::record_of(const reader::Node& node) const {
  AttributesRecord record;
  Attributes& to = record.attributes;
  to.mode = node.mode;
  to.uid = node.uid;
  to.gid = node.gid;
  to.link_count = node.link_count;
  to.size_bytes = node.size_bytes;
  to.blocks = blocks_of(reader::data_bytes(node));
  to.rdev = node.rdev;
  to.mtime = node.mtime;
  to.ctime = node.ctime;
  to.atime = node.atime;
  if (node.xattrs.present()) record.flags = kMayHaveXattrs;
  if (format::is_directory(node.mode)) {
    DGFS_TRY(names, image_.directory(node.inode));
    to.children = names.count();
  }
  return record;
}

Result<std::optional<ObjectNumber>> ImageBottom::parent(ObjectNumber object) const {
  if (!may_have(object)) return std::optional<ObjectNumber>();
  return unless_absent(image_.parent(object));
}

Result<std::vector<NamePlace>> ImageBottom::names(const reader::Node& node) const {
  std::vector<NamePlace> names;
  if (node.link_count == 0) return names;
  DGFS_TRY(listed, image_.names_of(node.inode));
  if (listed) {
    for (auto& name : *listed) names.push_back({name.directory, std::move(name.name)});
    return names;
  }
  DGFS_TRY(first, image_.name_of(node.inode));
  if (first) names.push_back({first->directory, std::move(first->name)});
  return names;
}

Dentry dentry_of(const reader::Node& node) {
  return {node.inode, format::type_of(node.mode), false};
}

}  // namespace dgfs::view
