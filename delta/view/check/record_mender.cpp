// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/record_mender.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "delta/view/check/object_paths.h"
#include "delta/view/contents/content_end.h"
#include "delta/view/name_rules.h"
#include "format/limits.h"

namespace dgfs::view {
namespace {

// Visits the keys of records in a range until `visit` returns false.
Status visit_keys(const Moment& moment, const delta::KeyRange& keys,
                  const std::function<bool(std::string_view key)>& visit) {
  auto cursor = moment.stores().cursor(keys);
  Status moved = cursor.seek(keys.begin);
  for (; moved && cursor.is_at_place(); moved = cursor.next()) {
    if (!cursor.has_message()) continue;
    const auto kind = cursor.kind();
    const bool is_said = kind == delta::MessageKind::kPut || kind == delta::MessageKind::kPatch;
    if (is_said && !visit(cursor.key())) return ok();
  }
  return moved;
}

}  // namespace

Result<std::string> RecordMender::mend(const Finding& finding) {
  switch (finding.record) {
    case RecordClass::kAttributes:
      return mend_attributes(finding.object);
    case RecordClass::kDentry:
      return mend_dentry(*finding.place);
    case RecordClass::kChunk:
    case RecordClass::kName:
      return drop_damaged(finding.record, finding.object);
    case RecordClass::kParent:
      return set_parent(finding.object);
    case RecordClass::kReserved:
      return mend_end();
    default:
      DGFS_CHECK(writer_.remove_range(keys_of(finding.record, finding.object)));
      return "the record was dropped";
  }
}

Result<std::string> RecordMender::drop_stray(RecordClass record, ObjectNumber object) {
  auto keys = keys_of(record, object);
  if (record == RecordClass::kReserved && object == 0) keys.begin.push_back('\0');
  DGFS_CHECK(writer_.remove_range(std::move(keys)));
  return "the records were dropped";
}

Result<std::string> RecordMender::set_parent(ObjectNumber directory) {
  auto facts = facts_of(writer_.moment(), directory);
  if (!facts && !is_of_record(facts.error())) return std::move(facts).error();
  const auto key = key_of(RecordClass::kParent, directory);
  if (!facts || !facts.value() || facts.value()->names.empty()) {
    DGFS_CHECK(writer_.remove(key));
    return "the record was dropped";
  }
  const auto parent = facts.value()->names.front().directory;
  DGFS_CHECK(writer_.put(key, number_value(parent)));
  const Moment moment = writer_.moment();
  return "its parent is " + ObjectPaths(moment).words_of(parent) + " now";
}

Result<std::string> RecordMender::mend_attributes(ObjectNumber object) {
  DGFS_TRY(is_restored, writer_.restore(object));
  if (is_restored) {
    DGFS_CHECK(mend_size(object));
    return "it has its attributes of the image again";
  }
  DGFS_TRY(type, guess_type(object));
  AttributesRecord record;
  record.flags = kMayHaveXattrs;
  Attributes& to = record.attributes;
  const bool is_directory = type == format::kTypeDirectory;
  to.mode = type | (is_directory ? 0700 : type == format::kTypeSymlink ? 0777 : 0600);
  to.mtime = to.ctime = to.atime = writer_.now();
  if (is_directory) to.size_bytes = format::kPageBytes;
  if (type == format::kTypeSymlink) {
    const auto target = writer_.moment().target(object);
    if (target) to.size_bytes = target.value().size();
  }
  DGFS_CHECK(writer_.put(key_of(RecordClass::kAttributes, object), encode_attributes(record)));
  DGFS_CHECK(writer_.recount({object}));
  DGFS_CHECK(mend_size(object));
  return "its attributes were made anew, for its owner root alone";
}

// A file must reach at least to the end of its data in the stores.
Status RecordMender::mend_size(ObjectNumber file) {
  const Moment moment = writer_.moment();
  DGFS_TRY(record, moment.needed_record(file));
  if (!format::is_regular(record.attributes.mode)) return ok();
  DGFS_TRY(end, end_of_data(moment, file));
  if (end <= record.attributes.size_bytes) return ok();
  delta::Batch batch;
  const auto key = key_of(RecordClass::kAttributes, file);
  batch.set_field(key, field::kSize, end);
  batch.set_field(key, field::kBlocks, blocks_of(end));
  return writer_.apply(std::move(batch));
}

Result<std::uint32_t> RecordMender::guess_type(ObjectNumber object) const {
  DGFS_TRY(by_names, type_by_names(object));
  if (by_names != 0) return by_names;
  DGFS_TRY(has_parent, has_any(keys_of(RecordClass::kParent, object)));
  DGFS_TRY(has_names, has_any(keys_of(RecordClass::kDentry, object)));
  if (has_parent || has_names) return std::uint32_t{format::kTypeDirectory};
  DGFS_TRY(has_chunks, has_any(keys_of(RecordClass::kChunk, object)));
  if (has_chunks) return std::uint32_t{format::kTypeRegular};
  DGFS_TRY(has_target, has_any(keys_of(RecordClass::kTarget, object)));
  return has_target ? format::kTypeSymlink : format::kTypeRegular;
}

// 0: no name tells the type.
Result<std::uint32_t> RecordMender::type_by_names(ObjectNumber object) const {
  const Moment moment = writer_.moment();
  auto names = moment.names(object);
  if (!names) {
    if (is_of_record(names.error())) return std::uint32_t{0};
    return std::move(names).error();
  }
  for (const NamePlace& place : names.value()) {
    const auto state = moment.name(place.directory, place.name);
    if (!state && !is_of_record(state.error())) return state.error();
    if (state && state.value().dentry && state.value().dentry->object == object) {
      return state.value().dentry->type;
    }
  }
  return std::uint32_t{0};
}

Result<bool> RecordMender::has_any(const delta::KeyRange& keys) const {
  bool has_some = false;
  DGFS_CHECK(visit_keys(writer_.moment(), keys, [&](std::string_view) {
    has_some = true;
    return false;
  }));
  return has_some;
}

Result<std::string> RecordMender::mend_dentry(const NamePlace& place) {
  DGFS_TRY(owner, find_owner(place));
  if (owner == 0 || !is_given_name(place.name)) {
    DGFS_CHECK(writer_.remove(key_of(RecordClass::kDentry, place.directory, place.name)));
    DGFS_CHECK(writer_.recount({place.directory}));
    return "the name was dropped";
  }
  DGFS_TRY(record, writer_.moment().needed_record(owner));
  delta::Batch batch;
  writer_.put_name(batch, place, owner, record.attributes.mode);
  DGFS_CHECK(writer_.apply(std::move(batch)));
  DGFS_CHECK(writer_.recount({place.directory, owner}));
  return "it leads to object " + std::to_string(owner) + " again, which has a record of it";
}

// The existing object that has a record of the name; 0: none.
Result<ObjectNumber> RecordMender::find_owner(const NamePlace& place) const {
  const Moment moment = writer_.moment();
  ObjectNumber owner = 0;
  DGFS_CHECK(visit_keys(moment, keys_of(RecordClass::kName), [&](std::string_view key) {
    if (name_place_of(rest_of(key)) != place) return true;
    const auto record = moment.record(object_of(key));
    if (record && record.value()) owner = object_of(key);
    return owner == 0;
  }));
  return owner == kRoot ? 0 : owner;
}

// Drops records of a class whose keys are malformed.
Result<std::string> RecordMender::drop_damaged(RecordClass record, ObjectNumber object) {
  const auto is_damaged = [record](std::string_view rest) {
    return record == RecordClass::kChunk ? !chunk_of(rest) : !name_place_of(rest);
  };
  delta::Batch batch;
  DGFS_CHECK(visit_keys(writer_.moment(), keys_of(record, object), [&](std::string_view key) {
    if (is_damaged(rest_of(key))) batch.remove(std::string(key));
    return true;
  }));
  if (!batch.empty()) {
    DGFS_CHECK(writer_.apply(std::move(batch)));
  }
  return "the record was dropped";
}

Result<std::string> RecordMender::mend_end() {
  const Moment moment = writer_.moment();
  DGFS_TRY(end, reserved_end(moment));
  DGFS_CHECK(visit_keys(moment, keys_of(RecordClass::kAttributes), [&](std::string_view key) {
    if (object_of(key) != UINT64_MAX) end = std::max(end, object_of(key) + 1);
    return true;
  }));
  DGFS_CHECK(writer_.put(key_of(RecordClass::kReserved, 0), number_value(end)));
  return "numbers below " + std::to_string(end) + " are reserved";
}

}  // namespace dgfs::view
