// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/object_names.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "format/entry/key.h"

namespace dgfs::reader {
Result<std::optional<FoundEntry>> ObjectNames::own_entry(InodeNumber inode) const {
  const auto ordinal = tables_.inodes.ordinal_of(inode);
  if (!ordinal) return std::nullopt;
  DGFS_TRY(found, names_.at_ordinal(*ordinal));
  const auto link = found.at.entry.link_inode;
  // The entry is a further name of another object. Then only an object that lost its first name can
  // have this number.
  if (link != 0 && link != inode) return std::nullopt;
  return std::optional(std::move(found));
}

Result<std::optional<ObjectName>> ObjectNames::first(InodeNumber inode) const {
  if (inode == format::kRootInode) return std::nullopt;
  DGFS_TRY(own, own_entry(inode));
  if (!own && links_.are_listed()) {
    DGFS_TRY(names, links_.of(inode));
    if (!names.empty()) {
      DGFS_TRY(name, listed_name(inode, names.front()));
      return std::optional(std::move(name));
    }
  }
  if (!own) {
    return Error(ErrorKind::kNotFound, 3903, fmt::format("no name is known of inode {}", inode));
  }
  DGFS_TRY(name, name_of(*own));
  return std::optional(std::move(name));
}

Result<std::optional<std::vector<ObjectName>>> ObjectNames::all(InodeNumber inode) const {
  std::vector<ObjectName> all;
  if (inode == format::kRootInode) return all;
  DGFS_TRY(own, own_entry(inode));
  if (own && own->at.entry.link_inode == 0) {
    DGFS_TRY(name, name_of(*own));
    all.push_back(std::move(name));
    return all;
  }
  std::vector<Ordinal> listed;
  if (links_.are_listed()) {
    DGFS_TRY(names, links_.of(inode));
    listed = std::move(names);
  }
  if (listed.empty()) {
    if (own && links_.are_listed()) {
      return names_.bad_entry(3904, *own, "a hard link that the link names do not have");  // F-341
    }
    if (!own) {
      DGFS_CHECK(names_.by_inode(inode));  // kNotFound if there is no such object
    }
    return std::nullopt;
  }
  all.reserve(listed.size());
  for (const auto ordinal : listed) {
    DGFS_TRY(name, listed_name(inode, ordinal));
    all.push_back(std::move(name));
  }
  return all;
}

Result<ObjectName> ObjectNames::listed_name(InodeNumber inode, Ordinal name) const {
  DGFS_TRY(found, names_.at_ordinal(name));
  if (found.at.entry.link_inode != inode) {  // F-341
    return names_.bad_entry(3905, found, "the link names give it to another object");
  }
  return name_of(found);
}

Result<ObjectName> ObjectNames::name_of(const FoundEntry& found) const {
  const auto key = found.page->full_key(found.at.entry.key);
  const auto name = format::name_of_key(key);
  const auto parent = tables_.directories.parent(found.page->ordinal(found.at.index));
  const auto directory = parent ? tables_.inodes.inode_of(*parent) : std::nullopt;
  if (!directory || !format::is_valid_name(name)) {  // F-100: the keys of the page were not checked
    return names_.bad_entry(3906, found, "not a name");
  }
  return ObjectName{*directory, std::string(name)};
}

}  // namespace dgfs::reader
