// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/editor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "delta/view/access_rules.h"
#include "delta/view/contents/content_reader.h"
#include "delta/view/contents/content_writer.h"
#include "format/entry/access_list.h"
#include "format/limits.h"

namespace dgfs::view {
namespace {

Status check_wish(const AttributeChange& wish) {
  if (wish.permissions && (*wish.permissions & ~format::kPermissionMask) != 0) {
    return Error(ErrorKind::kInvalidArgument, 7361, "permissions have 12 bits");
  }
  if (wish.size_bytes.value_or(0) > format::kFileBytesMax) {
    return Error(ErrorKind::kFileTooLarge, 7415, "a file cannot be so long");
  }
  if (!is_time(wish.mtime.value_or(Time())) || !is_time(wish.atime.value_or(Time())) ||
      !is_time(wish.ctime.value_or(Time()))) {
    return Error(ErrorKind::kInvalidArgument, 7362, "not a time");
  }
  return ok();
}

// An empty value removes the list.
void put_list(Change& change, ObjectNumber object, std::string_view name, const Buffer& list) {
  if (list.empty()) {
    change.drop(RecordClass::kXattr, object, name);
  } else {
    change.put(RecordClass::kXattr, object, name, std::string(as_text(list)));
  }
}

// Even if a layer says so already: a merge takes the layer, and an image keeps no flags.
void note_xattrs(Change& change, ObjectNumber object, const AttributesRecord& record) {
  change.set_flags(object, record.flags | kMayHaveXattrs);
}

// Edits one object in one change.
class AttributeEdit {
 public:
  AttributeEdit(Change& change, const Chunks& chunks, ObjectNumber object, AttributesRecord record)
      : change_(change), chunks_(chunks), object_(object), record_(record) {}

  [[nodiscard]] Status make(const AttributeChange& wish) {
    if (wish.size_bytes) {
      DGFS_CHECK(check_is_regular(attributes().mode));
    }
    DGFS_CHECK(change_.begin_touching(object_, record_));
    if (wish.size_bytes) change_size(*wish.size_bytes, !wish.mtime);
    const auto mode = attributes().mode;
    if (wish.uid || wish.gid) change_owner(wish);
    if (wish.permissions) {
      DGFS_CHECK(change_permissions(*wish.permissions));
    }
    attributes().mode &= ~(wish.cleared_permissions & format::kPermissionMask);
    if (wish.uid || wish.gid || wish.drops_capabilities) {
      DGFS_CHECK(drop_capabilities());
    }
    if (attributes().mode != mode) change_.set_mode(object_, attributes().mode);
    if (wish.mtime) set_time(field::kMtime, attributes().mtime, *wish.mtime);
    if (wish.atime) set_time(field::kAtime, attributes().atime, *wish.atime);
    set_time(field::kCtime, attributes().ctime, wish.ctime.value_or(change_.now()));
    return ok();
  }
  [[nodiscard]] Attributes& attributes() { return record_.attributes; }

 private:
  // Bytes behind the end of a file are always zeros, so growing only changes the size.
  void change_size(std::uint64_t size_bytes, bool sets_mtime) {
    auto& blocks = attributes().blocks;
    if (size_bytes < attributes().size_bytes) {
      change_.set_removing();
      drop_behind(change_, chunks_, object_, size_bytes,
                  std::min(attributes().size_bytes - size_bytes, blocks * kBlockBytes));
      // Zeros in the last chunk are data.
      if (size_bytes % chunks_.chunk_bytes() != 0) blocks = std::max<std::uint64_t>(blocks, 1);
    }
    attributes().size_bytes = size_bytes;
    blocks = std::min(blocks, blocks_max(size_bytes));
    change_.set_size(object_, size_bytes, attributes().blocks);
    if (sets_mtime) set_time(field::kMtime, attributes().mtime, change_.now());
  }

  void change_owner(const AttributeChange& wish) {
    set_number(field::kUid, attributes().uid, wish.uid);
    set_number(field::kGid, attributes().gid, wish.gid);
    attributes().mode = chown_mode(attributes().mode);
  }

  // A change of owner, or a write, removes them.
  [[nodiscard]] Status drop_capabilities() {
    if (format::is_directory(attributes().mode) || !may_have_xattrs(record_)) return ok();
    DGFS_TRY(capability, change_.moment().xattr(object_, format::kCapabilityXattr));
    if (capability) change_.drop(RecordClass::kXattr, object_, format::kCapabilityXattr);
    return ok();
  }

  [[nodiscard]] Status change_permissions(std::uint32_t permissions) {
    std::optional<Buffer> list;
    if (may_have_xattrs(record_)) {
      DGFS_TRY(value, change_.moment().xattr(object_, format::kAccessListXattr));
      if (value) list = buffer_of(*value);
    }
    const auto changed = chmod(attributes().mode, permissions, list);
    attributes().mode = changed.mode;
    if (changed.access_list) {
      put_list(change_, object_, format::kAccessListXattr, *changed.access_list);
    }
    return ok();
  }

  void set_number(std::uint64_t offset_bytes, std::uint32_t& number,
                  const std::optional<std::uint32_t>& wish) {
    if (!wish) return;
    number = *wish;
    change_.set_bytes(object_, offset_bytes, number_bytes(number));
  }
  void set_time(std::uint64_t offset_bytes, Time& time, const Time& wish) {
    time = wish;
    change_.set_bytes(object_, offset_bytes, time_bytes(time));
  }

  Change& change_;
  const Chunks& chunks_;
  const ObjectNumber object_;
  AttributesRecord record_;
};

// An access list also sets the mode. False: nothing changes.
Result<bool> set_list(Change& change, ObjectNumber object, const AttributesRecord& record,
                      std::string_view name, Bytes value, std::uint32_t cleared_permissions) {
  AccessListSet set{.mode = record.attributes.mode};
  if (name == format::kDefaultListXattr) {
    DGFS_TRY(list, set_default_list(set.mode, value));
    set.access_list = std::move(list);
  } else {
    DGFS_TRY(of_access, set_access_list(set.mode, value));
    set = std::move(of_access);
    set.mode &= ~(cleared_permissions & format::kPermissionMask);
  }
  const bool changes_mode = set.mode != record.attributes.mode;
  if (set.access_list.empty() && !changes_mode) {
    DGFS_TRY(before, change.moment().xattr(object, name));
    if (!before) return false;
  }
  put_list(change, object, name, set.access_list);
  if (changes_mode) change.set_mode(object, set.mode);
  return true;
}

Status check_may_set(bool is_there, XattrMode mode) {
  if (is_there && mode == XattrMode::kCreate) {
    return Error(ErrorKind::kExists, 7363, "the attribute is there already");
  }
  if (!is_there && mode == XattrMode::kReplace) {
    return Error(ErrorKind::kNoAttribute, 7364, "no such attribute");
  }
  return ok();
}

// Counts the names as listxattr(2) returns them.
Status check_has_room(const Moment& moment, ObjectNumber object, std::string_view name) {
  DGFS_TRY(names, moment.xattr_names(object));
  std::size_t bytes = name.size() + 1;
  for (const std::string& each : names) bytes += each.size() + 1;
  if (bytes <= format::kXattrListBytesMax) return ok();
  return Error(ErrorKind::kNoSpace, 7365, "an object's attributes have names of 64 KiB at most");
}

}  // namespace

Result<Attributes> Editor::set_attributes(ObjectNumber object, const AttributeChange& wish) {
  DGFS_CHECK(check_wish(wish));
  std::optional<ComposedChunks::Writing> writing;
  if (wish.size_bytes) writing.emplace(composed_, object);
  return writer_.change<Attributes>(
      {object}, [&](Change& change) -> Result<std::optional<Attributes>> {
        DGFS_TRY(record, change.moment().needed_record(object));
        AttributeEdit edit(change, chunks_, object, record);
        DGFS_CHECK(edit.make(wish));
        if (writing) writing->forget(chunks_.number(*wish.size_bytes), std::nullopt);
        return std::optional(edit.attributes());
      });
}

Status Editor::set_xattr(ObjectNumber object, std::string_view name, Bytes value, XattrMode mode,
                         std::uint32_t cleared_permissions) {
  DGFS_CHECK(check_xattr_name(name));
  if (value.size() > format::kXattrValueBytesMax) {
    return Error(ErrorKind::kTooLarge, 7366, "an attribute has 65,536 bytes at most");
  }
  DGFS_CHECK(writer_.change<bool>({object}, [&](Change& change) {
    return set_xattr_in(change, object, name, value, mode, cleared_permissions);
  }));
  return ok();
}

Result<std::optional<bool>> Editor::set_xattr_in(Change& change, ObjectNumber object,
                                                 std::string_view name, Bytes value, XattrMode mode,
                                                 std::uint32_t cleared_permissions) {
  DGFS_TRY(record, change.moment().needed_record(object));
  if (format::is_access_list_xattr(name)) {
    DGFS_TRY(changes, set_list(change, object, record, name, value, cleared_permissions));
    if (!changes) return std::optional(true);
  } else {
    // Most objects have none, and then there is nothing to look for.
    const bool has_some = may_have_xattrs(record);
    std::optional<std::string> before;
    if (has_some) {
      DGFS_TRY(found, change.moment().xattr(object, name));
      before = std::move(found);
    }
    DGFS_CHECK(check_may_set(before.has_value(), mode));
    if (has_some && !before) {
      DGFS_CHECK(check_has_room(change.moment(), object, name));
    }
    change.put(RecordClass::kXattr, object, name, std::string(as_text(value)));
  }
  DGFS_CHECK(change.begin_touching(object, record));
  note_xattrs(change, object, record);
  change.set_ctime(object);
  return std::optional(true);
}

Status Editor::remove_xattr(ObjectNumber object, std::string_view name) {
  DGFS_CHECK(check_xattr_name(name));
  DGFS_CHECK(writer_.change<bool>(
      {object}, [&](Change& change) { return remove_xattr_in(change, object, name); }));
  return ok();
}

Result<std::optional<bool>> Editor::remove_xattr_in(Change& change, ObjectNumber object,
                                                    std::string_view name) {
  DGFS_TRY(record, change.moment().needed_record(object));
  DGFS_CHECK(check_may_have_xattr(record.attributes.mode, name));
  DGFS_TRY(before, change.moment().xattr(object, name));
  if (!before && format::is_access_list_xattr(name)) return std::optional(true);
  if (!before) return Error(ErrorKind::kNoAttribute, 7367, "no such attribute");
  change.set_removing();
  DGFS_CHECK(change.begin_touching(object, record));
  change.drop(RecordClass::kXattr, object, name);
  change.set_ctime(object);
  return std::optional(true);
}

}  // namespace dgfs::view
