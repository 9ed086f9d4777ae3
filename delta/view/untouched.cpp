// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/untouched.h"

#include "delta/view/name_rules.h"

namespace dgfs::view {

// A removed directory of the image always has a record. Other objects may have ended without one,
// so Moment::record() must distinguish ENOENT from ENOTDIR.
Result<std::optional<Entry>> Untouched::lookup(ObjectNumber directory,
                                               std::string_view name) const {
  const auto& bottom = layers_.bottom();
  const bool asks_image = bottom.may_have(directory) && !is_own_name(name) &&
                          layers_.is_untouched(RecordClass::kDentry, directory) &&
                          layers_.is_untouched(RecordClass::kAttributes, directory);
  if (!asks_image) return std::optional<Entry>();
  const auto found = bottom.image().lookup(directory, name);
  if (!found) {
    if (found.error().kind() == ErrorKind::kNotDirectory) return std::optional<Entry>();
    return found.error();
  }
  const auto& node = found.value();
  if (!layers_.is_untouched(RecordClass::kAttributes, node.inode)) return std::optional<Entry>();
  DGFS_TRY(record, bottom.record_of(node));
  return std::optional(Entry{node.inode, record.attributes});
}

// A whiteout may have ended an object with one name, without a record; Moment::record() checks
// that.
Result<std::optional<AttributesRecord>> Untouched::record(ObjectNumber object) const {
  using Record = std::optional<AttributesRecord>;
  if (!layers_.is_untouched(RecordClass::kAttributes, object)) return Record();
  const auto& bottom = layers_.bottom();
  DGFS_TRY(node, bottom.node(object));
  if (!node) return Record();
  if (node->link_count == 0) return Record();
  if (node->link_count == 1 && !format::is_directory(node->mode)) {
    DGFS_TRY(parent, bottom.parent(object));
    const bool has_its_name = parent && layers_.is_untouched(RecordClass::kDentry, *parent);
    if (!has_its_name) return Record();
  }
  DGFS_TRY(record, bottom.record_of(*node));
  return Record(std::move(record));
}

}  // namespace dgfs::view
