// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectNames: finds the names of an object by its inode number.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "reader/index/link_names.h"
#include "reader/index/namespace.h"
#include "reader/index/tables.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Thread-safe. Errors: kIo, kCorrupt, kNotFound.
class ObjectNames {
 public:
  /// All must outlive it.
  ObjectNames(const IndexTables& tables, const Namespace& names, const LinkNames& links)
      : tables_(tables), names_(names), links_(links) {}

  /// Image::name_of().
  [[nodiscard]] Result<std::optional<ObjectName>> first(InodeNumber inode) const;
  /// Image::names_of().
  [[nodiscard]] Result<std::optional<std::vector<ObjectName>>> all(InodeNumber inode) const;

 private:
  /// The entry that the inode runs give for the number, if it is a name of the object.
  [[nodiscard]] Result<std::optional<FoundEntry>> own_entry(InodeNumber inode) const;
  [[nodiscard]] Result<ObjectName> listed_name(InodeNumber inode, Ordinal name) const;
  [[nodiscard]] Result<ObjectName> name_of(const FoundEntry& found) const;

  const IndexTables& tables_;
  const Namespace& names_;
  const LinkNames& links_;
};

}  // namespace dgfs::reader
