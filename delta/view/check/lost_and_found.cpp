// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/lost_and_found.h"

#include <utility>

#include "format/limits.h"

namespace dgfs::view {
namespace {

// "NAME", "NAME.1", "NAME.2" and so on.
std::string numbered(const std::string& name, int number) {
  return number == 0 ? name : name + "." + std::to_string(number);
}

}  // namespace

Result<std::string> LostAndFound::add(ObjectNumber object) {
  DGFS_TRY(record, writer_.moment().needed_record(object));
  DGFS_TRY(place, find_or_make());
  DGFS_TRY(name, free_name(place.directory, object));
  delta::Batch batch;
  writer_.put_name(batch, {place.directory, name}, object, record.attributes.mode);
  batch.remove(key_of(RecordClass::kOrphan, object));
  writer_.count_name(batch, place.directory, record.attributes.mode);
  if (!format::is_directory(record.attributes.mode)) {
    batch.set_field(key_of(RecordClass::kAttributes, object), field::kLinkCount, 1);
  }
  DGFS_CHECK(writer_.apply(std::move(batch)));
  DGFS_CHECK(writer_.recount({object, place.directory}));
  return "/" + place.name + "/" + name;
}

// An object other than a directory keeps the name "lost+found" in the root.
Result<LostAndFound::Place> LostAndFound::find_or_make() {
  for (int number = 0;; ++number) {
    const auto name = numbered("lost+found", number);
    const Moment moment = writer_.moment();
    DGFS_TRY(state, moment.name(kRoot, name));
    if (!state.dentry) {
      DGFS_TRY(made, make(name));
      return Place{made, name};
    }
    DGFS_TRY(record, moment.record(state.dentry->object));
    if (record && format::is_directory(record->attributes.mode)) {
      return Place{state.dentry->object, name};
    }
  }
}

Result<ObjectNumber> LostAndFound::make(const std::string& name) {
  DGFS_TRY(number, reserved_end(writer_.moment()));
  if (number == UINT64_MAX) {
    return Error(ErrorKind::kNoSpace, 7401, "there is no object number for lost+found");
  }
  AttributesRecord record;
  record.attributes.mode = format::kTypeDirectory | 0700;
  record.attributes.link_count = 2;
  record.attributes.size_bytes = format::kPageBytes;
  record.attributes.mtime = record.attributes.ctime = record.attributes.atime = writer_.now();
  delta::Batch batch;
  batch.put(key_of(RecordClass::kReserved, 0), number_value(number + 1));
  batch.put(key_of(RecordClass::kAttributes, number), encode_attributes(record));
  writer_.put_name(batch, {kRoot, name}, number, record.attributes.mode);
  writer_.count_name(batch, kRoot, record.attributes.mode);
  DGFS_CHECK(writer_.apply(std::move(batch)));
  DGFS_CHECK(writer_.recount({kRoot}));
  return number;
}

Result<std::string> LostAndFound::free_name(ObjectNumber directory, ObjectNumber object) const {
  for (int number = 0;; ++number) {
    auto name = numbered("#" + std::to_string(object), number);
    DGFS_TRY(state, writer_.moment().name(directory, name));
    if (!state.dentry) return name;
  }
}

}  // namespace dgfs::view
