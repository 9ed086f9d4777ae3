// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/change.h"

#include <algorithm>
#include <utility>

namespace dgfs::view {

Result<AttributesRecord> Change::directory(ObjectNumber directory) const {
  DGFS_TRY(record, moment().needed_record(directory));
  if (!format::is_directory(record.attributes.mode)) {
    return Error(ErrorKind::kNotDirectory, 7341, "not a directory");
  }
  if (record.attributes.link_count == 0) {
    return Error(ErrorKind::kNotFound, 7342, "the directory was removed");
  }
  return record;
}

void Change::put_name(const NamePlace& place, Dentry dentry, const NameState& state) {
  dentry.hides_lower = state.is_shown_below;
  put(RecordClass::kDentry, place.directory, place.name, encode_dentry(dentry));
  batch_.put(name_key(dentry.object, place.directory, place.name), {});
}

void Change::drop_name(const NamePlace& place, const NameState& state) {
  auto key = key_of(RecordClass::kDentry, place.directory, place.name);
  if (state.is_shown_below) {
    batch_.remove(std::move(key));
  } else {
    batch_.erase(std::move(key));
  }
  forget_name(place, state);
}

void Change::forget_name(const NamePlace& place, const NameState& state) {
  if (state.is_in_image) return;
  const auto object = state.dentry->object;
  auto name = name_key(object, place.directory, place.name);
  if (moment().may_be_below(RecordClass::kName, object)) {
    batch_.remove(std::move(name));
  } else {
    batch_.erase(std::move(name));
  }
}

void Change::change_directory(ObjectNumber directory, AttributesRecord record, int children,
                              int subdirectories) {
  Attributes& attributes = record.attributes;
  attributes.children += static_cast<std::uint64_t>(std::int64_t{children});
  attributes.link_count += static_cast<std::uint64_t>(std::int64_t{subdirectories});
  attributes.mtime = attributes.ctime = now_;
  put_object(directory, record);
}

void Change::put_object(ObjectNumber object, const AttributesRecord& record) {
  put(RecordClass::kAttributes, object, {}, encode_attributes(record));
}

Status Change::begin_touching(ObjectNumber object, const AttributesRecord& record) {
  if (record.attributes.link_count != 0) return ok();
  DGFS_TRY(is_untouched, moment().is_untouched(object));
  if (!is_untouched) return ok();
  set_links(object, 0);
  put_orphan(object);
  return ok();
}

void Change::edit(ObjectNumber object, delta::Edit edit) {
  auto found = std::ranges::find(edited_, object, &Edited::object);
  if (found == edited_.end()) found = edited_.insert(found, {object, {}});
  found->patch.add(std::move(edit));
}

// The first change of an object after a seal puts its whole record if layers have one. So whoever
// reads it finds it in one layer, and not in pieces in each layer that has changed it.
void Change::put_whole_records() {
  const auto is_whole = [this](const Edited& each) {
    const auto object = each.object;
    if (std::ranges::find(replaced_, object) != replaced_.end() ||
        generation_->live_may_have(RecordClass::kAttributes, object) ||
        !generation_->sealed_may_have(RecordClass::kAttributes, object)) {
      return false;
    }
    const auto record = moment().uncapped_record(object);
    if (!record || !record.value()) return false;  // the edits alone never need to read it
    auto value = encode_attributes(*record.value());
    each.patch.apply_to(value);
    batch_.put(key_of(RecordClass::kAttributes, object), std::move(value));
    return true;
  };
  edited_.erase(std::remove_if(edited_.begin(), edited_.end(), is_whole), edited_.end());
}

// Edits of the object from before come first.
void Change::begin_record(ObjectNumber object) {
  const auto found = std::ranges::find(edited_, object, &Edited::object);
  if (found != edited_.end()) {
    put_edit(*found);
    edited_.erase(found);
  }
  replaced_.push_back(object);
}

void Change::put_edit(Edited& edited) {
  delta::Message message;
  message.patch = std::move(edited.patch);
  batch_.add(
      delta::PointChange{key_of(RecordClass::kAttributes, edited.object), std::move(message)});
}

void Change::put_edits() {
  for (Edited& each : edited_) put_edit(each);
  edited_.clear();
}

void Change::drop(RecordClass record, ObjectNumber object, std::string_view rest) {
  if (record == RecordClass::kAttributes) begin_record(object);
  auto key = key_of(record, object, rest);
  if (moment().may_be_below(record, object)) {
    batch_.remove(std::move(key));
  } else {
    batch_.erase(std::move(key));
  }
}

void Change::drop_all(RecordClass record, ObjectNumber object) {
  if (record == RecordClass::kAttributes) begin_record(object);
  if (!generation_->is_untouched(record, object)) {
    batch_.remove_range(keys_of(record, object));
  }
}

void Change::drop_chunks(ObjectNumber object, std::uint64_t begin, std::optional<std::uint64_t> end,
                         std::uint64_t bytes) {
  const bool has_some = !generation_->is_untouched(RecordClass::kChunk, object);
  if (!has_some && !moment().may_be_below(RecordClass::kChunk, object)) return;
  batch_.remove_range(chunk_keys(object, begin, end));
  if (has_some) batch_.note_dead(chunk_keys(object, begin, end), bytes);
}

void Change::put_orphan(ObjectNumber object) {
  put(RecordClass::kOrphan, object, {}, {});
  new_orphans_.push_back(object);
}

void Change::drop_orphan(ObjectNumber object) {
  drop(RecordClass::kOrphan, object);
  old_orphans_.push_back(object);
}

}  // namespace dgfs::view
