// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/record_check.h"

#include <utility>

#include "delta/view/name_rules.h"
#include "format/limits.h"

namespace dgfs::view {

Status RecordCheck::check_all(const Object& check_object) {
  DGFS_TRY(end, reserved_end(moment_));
  end_ = end;
  DGFS_CHECK(walk(RecordClass::kReserved,
                  [&](auto key, const auto& message) { return check_reserved(key, message); }));
  DGFS_CHECK(walk(RecordClass::kDentry, [&](auto key, const auto& message) {
    return check_dentry({object_of(key), std::string(rest_of(key))}, message);
  }));
  DGFS_CHECK(walk(RecordClass::kAttributes, [&](auto key, const auto& message) {
    return check_attributes(object_of(key), message, check_object);
  }));
  const auto walk_said = [&](RecordClass record, const Visit& visit) {
    return walk(record, [&](auto key, const auto& message) {
      return is_said(message) ? visit(key, message) : ok();
    });
  };
  DGFS_CHECK(walk_said(RecordClass::kTarget, [&](auto key, const auto& message) {
    return check_target(object_of(key), message);
  }));
  DGFS_CHECK(walk_said(RecordClass::kName, [&](auto key, const auto& /*message*/) {
    return check_name(object_of(key), rest_of(key));
  }));
  DGFS_CHECK(walk_said(RecordClass::kOrphan, [&](auto key, const auto& /*message*/) -> Status {
    DGFS_TRY(object, known(object_of(key)));
    if (object.presence == Presence::kGone) tell_stray(RecordClass::kOrphan, object_of(key));
    return note(object_of(key));
  }));
  DGFS_CHECK(walk_said(RecordClass::kParent, [&](auto key, const auto& message) {
    return check_parent(object_of(key), message);
  }));
  DGFS_CHECK(walk_said(RecordClass::kXattr, [&](auto key, const auto& /*message*/) {
    return check_xattr(object_of(key));
  }));
  DGFS_CHECK(check_chunks());
  for (const ObjectNumber object : others_) {
    DGFS_CHECK(stop_.check());
    DGFS_CHECK(check_unless_told(object, check_object));
  }
  return ok();
}

Status RecordCheck::walk(RecordClass record, const Visit& visit) {
  const auto keys = keys_of(record);
  auto cursor = moment_.stores().cursor(keys);
  Status moved = cursor.seek(keys.begin);
  for (; moved && cursor.is_at_place(); moved = cursor.next()) {
    DGFS_CHECK(stop_.check());
    if (!cursor.has_message()) continue;
    DGFS_TRY(message, cursor.message());
    DGFS_CHECK(visit(cursor.key(), message));
  }
  return moved;
}

// The bytes of chunks are not read: a file may have any.
Status RecordCheck::check_chunks() {
  const auto keys = keys_of(RecordClass::kChunk);
  auto cursor = moment_.stores().cursor(keys);
  Status moved = cursor.seek(keys.begin);
  for (; moved && cursor.is_at_place(); moved = cursor.next()) {
    DGFS_CHECK(stop_.check());
    if (!cursor.has_message()) continue;
    const auto object = object_of(cursor.key());
    DGFS_TRY(found, known(object));
    if (found.presence == Presence::kUnknown) continue;
    if (found.presence == Presence::kGone || !format::is_regular(found.mode)) {
      tell_stray(RecordClass::kChunk, object);
    } else if (!chunk_of(rest_of(cursor.key()))) {
      tell(Rule::kRecordsAreWhole, RecordClass::kChunk, object, "the number of a chunk is damaged");
    }
  }
  return moved;
}

Result<RecordCheck::Known> RecordCheck::known(ObjectNumber object) {
  if (object == known_object_ && object != 0) return known_;
  const auto record = moment_.record(object);
  Known known;
  if (!record) {
    if (!is_of_record(record.error())) return record.error();
    known.presence = Presence::kUnknown;
  } else if (!record.value() && object == kRoot) {
    known.presence = Presence::kUnknown;  // it is reported elsewhere, and will be restored
  } else if (record.value()) {
    known = {Presence::kHere, record.value()->attributes.mode, record.value()->flags};
  }
  known_object_ = object;
  known_ = known;
  return known;
}

void RecordCheck::tell_stray(RecordClass record, ObjectNumber object) {
  if (record == stray_record_ && object == stray_object_) return;
  stray_record_ = record;
  stray_object_ = object;
  tell(Rule::kRecordsHaveAnObject, record, object,
       std::string("a record ") + static_cast<char>(record) +
           " belongs to no object that may have it");
}

Status RecordCheck::note(ObjectNumber object) {
  DGFS_TRY(is_untouched, moment_.is_untouched(object));
  if (is_untouched) others_.insert(object);
  return ok();
}

Status RecordCheck::check_reserved(std::string_view key, const delta::Message& message) {
  if (!is_said(message)) return ok();
  if (object_of(key) != 0 || !rest_of(key).empty()) {
    tell_stray(RecordClass::kReserved, object_of(key));
  } else if (!message.value || !number_of_value(*message.value)) {
    tell(Rule::kRecordsAreWhole, RecordClass::kReserved, 0,
         "the record of reserved numbers is damaged");
    end_ = UINT64_MAX;
  }
  return ok();
}

Status RecordCheck::check_attributes(ObjectNumber object, const delta::Message& message,
                                     const Object& check_object) {
  if (!is_said(message)) return message.is_final() ? check_gone(object) : ok();
  DGFS_TRY(found, known(object));
  if (found.presence == Presence::kGone) {
    tell_stray(RecordClass::kAttributes, object);
    return ok();
  }
  if (found.presence == Presence::kUnknown) {
    tell(Rule::kRecordsAreWhole, RecordClass::kAttributes, object, "its attributes are damaged");
    return ok();
  }
  if (object >= end_) {
    tell(Rule::kNumbersAreReserved, RecordClass::kAttributes, object,
         "its number is not below the reserved end, " + std::to_string(end_));
  }
  return check_unless_told(object, check_object);
}

// For an object of the image that has ended: its names in the image, and the names in it, must have
// ended before.
Status RecordCheck::check_gone(ObjectNumber object) {
  if (object == kRoot) {
    tell(Rule::kRecordsAreWhole, RecordClass::kAttributes, kRoot, "the root has ended");
    return ok();
  }
  const ImageBottom& bottom = moment_.layers().bottom();
  DGFS_TRY(node, bottom.node(object));
  if (!node) return ok();
  DGFS_TRY(names, bottom.names(*node));
  for (const NamePlace& place : names) {
    const auto state = moment_.name(place.directory, place.name);
    if (!state && !is_of_record(state.error())) return state.error();
    if (state && state.value().is_in_image && state.value().dentry->object == object) {
      DGFS_TRY(directory, known(place.directory));
      if (directory.presence != Presence::kHere) continue;
      tell(Rule::kNamesLeadToAnObject, RecordClass::kDentry, object,
           "the object of a name of the image has ended", place);
      return ok();
    }
  }
  if (!format::is_directory(node->mode)) return ok();
  const auto has_names = has_children(moment_, object, stop_);
  if (!has_names) return is_of_record(has_names.error()) ? ok() : Status(has_names.error());
  if (has_names.value()) {
    tell(Rule::kObjectsHaveANameOrAreMarked, RecordClass::kAttributes, object,
         "the directory has ended but has names");
  }
  return ok();
}

Status RecordCheck::check_dentry(const NamePlace& place, const delta::Message& message) {
  DGFS_CHECK(check_hidden(place));
  const bool is_erased = message.kind == delta::MessageKind::kErase;
  if (!is_said(message) && !is_erased) return ok();
  DGFS_TRY(directory, known(place.directory));
  if (is_erased) {
    return directory.presence == Presence::kHere ? check_covers(place, message) : ok();
  }
  if (directory.presence == Presence::kUnknown) return ok();
  if (directory.presence == Presence::kGone || !format::is_directory(directory.mode)) {
    tell_stray(RecordClass::kDentry, place.directory);
    return ok();
  }
  DGFS_CHECK(note(place.directory));
  const auto dentry = message.value ? decode_dentry(*message.value) : std::nullopt;
  if (!dentry || !is_given_name(place.name)) {
    tell(Rule::kRecordsAreWhole, RecordClass::kDentry, 0, "the record of a name is damaged", place);
    return ok();
  }
  DGFS_CHECK(check_leads(place, *dentry));
  return dentry->hides_lower ? ok() : check_covers(place, message);
}

// Checks a record that denies that a lower layer shows its name. The opposite claim, if false,
// costs only a needless whiteout. Records of sealed stores do not matter: only the live store
// leaves whiteouts. A layer that joins others also has names that an older one of them had removed.
Status RecordCheck::check_covers(const NamePlace& place, const delta::Message& message) {
  if (moment_.layers().live().is_sealed()) return ok();
  if (!moment_.layers().live_may_have(RecordClass::kDentry, place.directory)) return ok();
  NameState state;
  state.may_be_shown_below = true;
  const Status looked = moment_.look_below(place.directory, place.name, state);
  if (!looked) return is_of_record(looked.error()) ? ok() : looked;
  if (!state.is_shown_below) return ok();
  DGFS_TRY(live, live_.find(key_of(RecordClass::kDentry, place.directory, place.name)));
  if (live.kind != message.kind) return ok();
  const auto dentry = message.value ? decode_dentry(*message.value) : std::nullopt;
  tell(Rule::kNamesTellWhatTheyHide, RecordClass::kDentry, dentry ? dentry->object : 0,
       dentry ? "the name hides one of a lower layer, but does not say so"
              : "the removed name is in a lower layer, and no whiteout hides it",
       place);
  return ok();
}

Status RecordCheck::check_leads(const NamePlace& place, const Dentry& dentry) {
  const auto object = dentry.object;
  const auto record = moment_.record(object);
  if (!record) return is_of_record(record.error()) ? ok() : Status(record.error());
  if (object == kRoot) {
    tell(Rule::kDirectoriesHaveOneName, RecordClass::kDentry, kRoot, "a name leads to the root",
         place);
    return ok();
  }
  if (!record.value()) {
    tell(Rule::kNamesLeadToAnObject, RecordClass::kDentry, object,
         "the name leads to object " + std::to_string(object) + ", which does not exist", place);
    return ok();
  }
  if (dentry.type != format::type_of(record.value()->attributes.mode)) {
    unjudged_.insert(place.directory);
    tell(Rule::kNamesHaveTheType, RecordClass::kDentry, object,
         "the name has another type than its object", place);
  }
  DGFS_TRY(is_recorded, has_record(moment_, name_key(object, place.directory, place.name)));
  if (!is_recorded) {
    unjudged_.insert(object);
    tell(Rule::kNamesAreRecorded, RecordClass::kDentry, object,
         "object " + std::to_string(object) + " has no record of the name", place);
  }
  return ok();
}

// A directory of the image with a hidden name may have no records.
Status RecordCheck::check_hidden(const NamePlace& place) {
  DGFS_TRY(hidden, moment_.layers().bottom().child(place.directory, place.name));
  if (!hidden || !format::is_directory(hidden->mode)) return ok();
  return note(hidden->inode);
}

Status RecordCheck::check_name(ObjectNumber object, std::string_view rest) {
  DGFS_TRY(found, known(object));
  if (found.presence == Presence::kUnknown) return ok();
  if (found.presence == Presence::kGone) {
    tell_stray(RecordClass::kName, object);
    return ok();
  }
  const auto place = name_place_of(rest);
  if (!place) {
    tell(Rule::kRecordsAreWhole, RecordClass::kName, object, "the record of its name is damaged");
    return ok();
  }
  DGFS_CHECK(note(object));
  const auto state = moment_.name(place->directory, place->name);
  if (!state) return is_of_record(state.error()) ? ok() : Status(state.error());
  DGFS_TRY(directory, known(place->directory));
  if (directory.presence == Presence::kUnknown) return ok();
  const auto& dentry = state.value().dentry;
  if (!dentry || dentry->object != object || state.value().is_in_image ||
      directory.presence == Presence::kGone) {
    tell(Rule::kRecordedNamesLeadBack, RecordClass::kName, object,
         "a name in its records does not lead to it", place);
  }
  return ok();
}

Status RecordCheck::check_parent(ObjectNumber object, const delta::Message& message) {
  DGFS_TRY(found, known(object));
  if (found.presence == Presence::kUnknown) return ok();
  if (found.presence == Presence::kGone || !format::is_directory(found.mode)) {
    tell_stray(RecordClass::kParent, object);
  } else if (!message.value || !number_of_value(*message.value)) {
    tell(Rule::kRecordsAreWhole, RecordClass::kParent, object,
         "the record of its parent is damaged");
  } else {
    return note(object);
  }
  return ok();
}

Status RecordCheck::check_target(ObjectNumber object, const delta::Message& message) {
  DGFS_TRY(found, known(object));
  if (found.presence == Presence::kUnknown) return ok();
  if (found.presence == Presence::kGone || !format::is_symlink(found.mode)) {
    tell_stray(RecordClass::kTarget, object);
  } else if (!message.value || message.value->empty() ||
             message.value->size() > format::kTargetBytesMax) {
    tell(Rule::kRecordsAreWhole, RecordClass::kTarget, object, "its target is damaged");
  }
  return ok();
}

Status RecordCheck::check_xattr(ObjectNumber object) {
  DGFS_TRY(found, known(object));
  if (found.presence == Presence::kGone) {
    tell_stray(RecordClass::kXattr, object);
  } else if (found.presence == Presence::kHere && (found.flags & kMayHaveXattrs) == 0 &&
             std::exchange(hiding_object_, object) != object) {
    tell(Rule::kXattrsAreShown, RecordClass::kXattr, object,
         "it has extended attributes that it does not show");
  }
  return ok();
}

}  // namespace dgfs::view
