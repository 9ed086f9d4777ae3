// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/makers.h"

#include <utility>

#include "delta/view/name_rules.h"
#include "format/entry/access_list.h"
#include "format/limits.h"

namespace dgfs::view {
namespace {

void put_list(Change& change, ObjectNumber object, std::string_view name,
              const std::optional<Buffer>& list, AttributesRecord& record) {
  if (!list) return;
  change.put(RecordClass::kXattr, object, name, std::string(as_text(*list)));
  record.flags |= kMayHaveXattrs;
}

Result<std::optional<Buffer>> default_list_of(const Moment& moment, ObjectNumber directory,
                                              const AttributesRecord& record) {
  if (!may_have_xattrs(record)) return std::optional<Buffer>();
  DGFS_TRY(value, moment.xattr(directory, format::kDefaultListXattr));
  if (!value) return std::optional<Buffer>();
  return std::optional(buffer_of(*value));
}

}  // namespace

Result<NameState> free_name(const Moment& moment, const NamePlace& place) {
  DGFS_TRY(state, moment.name(place.directory, place.name));
  if (state.dentry || is_own_name(place.name)) {
    return Error(ErrorKind::kExists, 7346, "the name is taken");
  }
  DGFS_CHECK(moment.look_below(place.directory, place.name, state));
  return state;
}

Result<AttributesRecord> Makers::put_new(Change& change, ObjectNumber number,
                                         ObjectNumber directory, const AttributesRecord& parent,
                                         const Wish& wish, const Credentials& who) {
  DGFS_TRY(default_list, default_list_of(change.moment(), directory, parent));
  const auto inherited = inherit(parent.attributes, default_list, wish.mode, who);
  AttributesRecord record;
  Attributes& to = record.attributes;
  to.mode = inherited.mode;
  to.uid = inherited.uid;
  to.gid = inherited.gid;
  to.link_count = 1;
  to.rdev = wish.rdev;
  to.size_bytes = wish.target.size();
  to.mtime = to.ctime = to.atime = change.now();
  put_list(change, number, format::kAccessListXattr, inherited.access_list, record);
  put_list(change, number, format::kDefaultListXattr, inherited.default_list, record);
  if (format::is_directory(to.mode)) {
    to.link_count = 2;
    to.size_bytes = format::kPageBytes;
    change.put(RecordClass::kParent, number, {}, number_value(directory));
  }
  if (format::is_symlink(to.mode)) {
    change.put(RecordClass::kTarget, number, {}, std::string(wish.target));
  }
  return record;
}

Result<Entry> Makers::make(ObjectNumber directory, std::string_view name, const Wish& wish,
                           const Credentials& who) {
  DGFS_CHECK(check_component(name));
  DGFS_TRY(number, numbers_.take(directory));
  const NamePlace place{directory, std::string(name)};
  auto made = writer_.change<Entry>({directory, number}, [&, number = number](Change& change) {
    return make_in(change, number, place, wish, who);
  });
  if (!made) numbers_.give_back(directory, number);
  return made;
}

Result<std::optional<Entry>> Makers::make_in(Change& change, ObjectNumber number,
                                             const NamePlace& place, const Wish& wish,
                                             const Credentials& who) {
  DGFS_TRY(parent, change.directory(place.directory));
  DGFS_TRY(state, free_name(change.moment(), place));
  DGFS_TRY(record, put_new(change, number, place.directory, parent, wish, who));
  change.put_object(number, record);
  const auto type = format::type_of(record.attributes.mode);
  change.put_name(place, {number, type, false}, state);
  change.change_directory(place.directory, parent, 1, type == format::kTypeDirectory ? 1 : 0);
  return std::optional(Entry{number, record.attributes});
}

Result<Entry> Makers::make_unnamed(ObjectNumber directory, std::uint32_t permissions,
                                   const Credentials& who) {
  DGFS_TRY(number, numbers_.take(directory));
  const Wish wish{format::kTypeRegular | permissions, 0, {}};
  auto made = writer_.change<Entry>(
      {directory, number}, [&, number = number](Change& change) -> Result<std::optional<Entry>> {
        DGFS_TRY(parent, change.directory(directory));
        DGFS_TRY(record, put_new(change, number, directory, parent, wish, who));
        record.attributes.link_count = 0;
        record.flags |= kIsLinkable;
        change.put_object(number, record);
        change.put_orphan(number);
        return std::optional(Entry{number, record.attributes});
      });
  if (!made) numbers_.give_back(directory, number);
  return made;
}

Result<Entry> Makers::link(ObjectNumber object, ObjectNumber directory, std::string_view name) {
  DGFS_CHECK(check_component(name));
  const NamePlace place{directory, std::string(name)};
  return writer_.change<Entry>({object, directory},
                               [&](Change& change) { return link_in(change, object, place); });
}

Result<std::optional<Entry>> Makers::link_in(Change& change, ObjectNumber object,
                                             const NamePlace& place) {
  DGFS_TRY(parent, change.directory(place.directory));
  DGFS_TRY(record, change.moment().needed_record(object));
  DGFS_TRY(state, free_name(change.moment(), place));
  Attributes& attributes = record.attributes;
  if (format::is_directory(attributes.mode)) {
    return Error(ErrorKind::kNotPermitted, 7347, "a directory cannot have a second name");
  }
  const bool is_linkable = (record.flags & kIsLinkable) != 0;
  if (attributes.link_count == 0 && !is_linkable) {
    return Error(ErrorKind::kNotFound, 7348, "no name leads to the object any more");
  }
  if (attributes.link_count >= kLinksMax) {
    return Error(ErrorKind::kTooManyLinks, 7349, "the object has too many names");
  }
  if (is_linkable) change.set_flags(object, record.flags & ~kIsLinkable);
  if (attributes.link_count == 0) change.drop_orphan(object);
  ++attributes.link_count;
  attributes.ctime = change.now();
  change.set_links(object, attributes.link_count);
  change.set_ctime(object);
  change.put_name(place, {object, format::type_of(attributes.mode), false}, state);
  change.change_directory(place.directory, parent, 1, 0);
  return std::optional(Entry{object, attributes});
}

}  // namespace dgfs::view
