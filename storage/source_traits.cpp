// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/source_traits.h"

#include <utility>

namespace dgfs::storage {
namespace {

std::vector<Xattr> all_or_none(Result<std::vector<Xattr>> all, std::vector<Error>& unreadable) {
  if (all) return std::move(all).value();
  unreadable.push_back(std::move(all).error());
  return {};
}

}  // namespace

std::vector<Xattr> readable_xattrs(const File& file, std::vector<Error>& unreadable) {
  if (const auto* knows = dynamic_cast<const FileTraits*>(&file)) {
    return knows->readable_xattrs(unreadable);
  }
  return all_or_none(file.xattrs(), unreadable);
}

std::vector<Xattr> readable_xattrs(const Directory& directory, std::string_view name,
                                   std::vector<Error>& unreadable) {
  if (const auto* knows = dynamic_cast<const DirectoryTraits*>(&directory)) {
    return knows->readable_xattrs(name, unreadable);
  }
  return all_or_none(directory.xattrs(name), unreadable);
}

bool keeps_inode_numbers(const Directory& directory) {
  const auto* knows = dynamic_cast<const DirectoryTraits*>(&directory);
  return knows == nullptr || knows->keeps_inode_numbers();
}

}  // namespace dgfs::storage
