// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/removers.h"

#include <string>
#include <utility>

#include "delta/view/name_rules.h"

namespace dgfs::view {

Result<NameState> taken_name(const Moment& moment, const NamePlace& place) {
  DGFS_TRY(state, moment.name(place.directory, place.name));
  if (!state.dentry) return Error(ErrorKind::kNotFound, 7350, "no such name");
  return state;
}

// An object of the image with one name and without records ends with its whiteout; no record is
// needed.
Result<Attributes> Removers::lose_name(Change& change, const NameState& state,
                                       AttributesRecord record) {
  const auto object = state.dentry->object;
  Attributes& attributes = record.attributes;
  if (attributes.link_count == 0) {
    return Error(ErrorKind::kCorrupt, 7389, "an object with a name has a link count of 0")
        .in_section("delta");
  }
  --attributes.link_count;
  attributes.ctime = change.now();
  if (attributes.link_count == 0 && state.is_in_image) {
    DGFS_TRY(is_untouched, change.moment().is_untouched(object));
    if (is_untouched) {
      change.note_orphan(object);
      return attributes;
    }
  }
  change.set_links(object, attributes.link_count);
  change.set_ctime(object);
  if (attributes.link_count == 0) change.put_orphan(object);
  return attributes;
}

Result<Attributes> Removers::lose_directory(Change& change, ObjectNumber directory,
                                            AttributesRecord record) {
  Attributes& attributes = record.attributes;
  if (attributes.children != 0) {
    return Error(ErrorKind::kNotEmpty, 7351, "the directory is not empty");
  }
  attributes.link_count = 0;
  attributes.ctime = change.now();
  change.put_object(directory, record);
  change.put_orphan(directory);
  return attributes;
}

Result<Entry> Removers::unlink(ObjectNumber directory, std::string_view name) {
  DGFS_CHECK(check_component(name));
  const NamePlace place{directory, std::string(name)};
  return writer_.change<Entry>({directory},
                               [&](Change& change) { return unlink_in(change, place); });
}

Result<std::optional<Entry>> Removers::unlink_in(Change& change, const NamePlace& place) {
  DGFS_TRY(parent, change.directory(place.directory));
  const Error is_directory(ErrorKind::kIsDirectory, 7352, "a directory");
  if (is_own_name(place.name)) return is_directory;
  DGFS_TRY(state, taken_name(change.moment(), place));
  const auto object = state.dentry->object;
  if (state.dentry->type == format::kTypeDirectory) return is_directory;
  if (change.lacks(object)) return std::optional<Entry>();
  DGFS_TRY(record, change.moment().needed_record(object));
  change.set_removing();
  DGFS_TRY(attributes, lose_name(change, state, record));
  change.drop_name(place, state);
  change.change_directory(place.directory, parent, -1, 0);
  return std::optional(Entry{object, attributes});
}

Result<Entry> Removers::remove_directory(ObjectNumber directory, std::string_view name) {
  DGFS_CHECK(check_component(name));
  const NamePlace place{directory, std::string(name)};
  return writer_.change<Entry>({directory},
                               [&](Change& change) { return remove_in(change, place); });
}

Result<std::optional<Entry>> Removers::remove_in(Change& change, const NamePlace& place) {
  DGFS_TRY(parent, change.directory(place.directory));
  if (place.name == ".") return Error(ErrorKind::kInvalidArgument, 7345, "\".\" stays");
  if (place.name == "..") return Error(ErrorKind::kNotEmpty, 7386, "\"..\" is not empty");
  DGFS_TRY(state, taken_name(change.moment(), place));
  const auto object = state.dentry->object;
  if (state.dentry->type != format::kTypeDirectory) {
    return Error(ErrorKind::kNotDirectory, 7353, "not a directory");
  }
  if (change.lacks(object)) return std::optional<Entry>();
  DGFS_TRY(record, change.moment().needed_record(object));
  change.set_removing();
  DGFS_TRY(attributes, lose_directory(change, object, record));
  change.drop_name(place, state);
  change.change_directory(place.directory, parent, -1, -1);
  return std::optional(Entry{object, attributes});
}

Status Removers::release(ObjectNumber object) {
  if (!orphans_.has(object)) return ok();
  DGFS_CHECK(
      writer_.change<bool>({object}, [&](Change& change) { return end_in(change, object); }));
  return ok();
}

Status Removers::keep(ObjectNumber object) {
  if (!orphans_.has(object)) return ok();
  DGFS_CHECK(
      writer_.change<bool>({object}, [&](Change& change) { return keep_in(change, object); }));
  return ok();
}

// The base has its contents, and of other objects than directories all that no record of attributes
// says.
Result<std::optional<bool>> Removers::keep_in(Change& change, ObjectNumber object) const {
  if (!orphans_.has(object)) return std::optional(false);
  DGFS_TRY(record, change.moment().uncapped_record(object));
  if (!record || record->attributes.link_count != 0) return std::optional(false);
  if (format::is_directory(record->attributes.mode)) {
    DGFS_TRY(parent, change.moment().parent(object));
    change.put(RecordClass::kParent, object, {}, number_value(parent));
    DGFS_TRY(names, change.moment().xattr_names(object));
    for (const std::string& name : names) {
      DGFS_TRY(value, change.moment().xattr(object, name));
      if (value) change.put(RecordClass::kXattr, object, name, *std::move(value));
    }
  }
  change.put_object(object, *record);
  change.put_orphan(object);
  return std::optional(true);
}

Result<std::optional<bool>> Removers::end_in(Change& change, ObjectNumber object) {
  DGFS_TRY(record, change.moment().record(object));
  if (record && record->attributes.link_count != 0) return std::optional(false);
  if (!record) {  // damage left a mark without an object
    change.set_removing();
    change.drop_orphan(object);
    return std::optional(true);
  }
  // An object that is not the image's has a record.
  if (change.layers().bottom().may_have(object)) {
    DGFS_TRY(is_untouched, change.moment().is_untouched(object));
    if (is_untouched) {
      change.forget_orphan(object);
      return std::optional(true);
    }
  }
  change.set_removing();
  change.drop_orphan(object);
  change.drop(RecordClass::kAttributes, object);
  if (may_have_xattrs(*record)) change.drop_all(RecordClass::kXattr, object);
  change.drop_all(RecordClass::kName, object);
  const auto mode = record->attributes.mode;
  if (format::is_symlink(mode)) change.drop_all(RecordClass::kTarget, object);
  if (format::is_regular(mode) && !change.layers().is_untouched(RecordClass::kChunk, object)) {
    change.drop_chunks(object, 0, std::nullopt, record->attributes.blocks * kBlockBytes);
  }
  if (format::is_directory(mode)) {
    change.drop_all(RecordClass::kParent, object);
    change.drop_all(RecordClass::kDentry, object);
  }
  return std::optional(true);
}

}  // namespace dgfs::view
