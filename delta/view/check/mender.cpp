// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/mender.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dgfs::view {
namespace {

// No object gets such a high number, so this one is damage.
constexpr ObjectNumber kNumbersEnd = ObjectNumber{1} << 62;

std::string nothing_left() { return "another repair has mended it"; }

}  // namespace

Result<std::string> Mender::mend(const Finding& finding) {
  switch (finding.rule) {
    case Rule::kRecordsAreWhole:
      return records_.mend(finding);
    case Rule::kRecordsHaveAnObject:
      return records_.drop_stray(finding.record, finding.object);
    case Rule::kNumbersAreReserved:
      return reserve(finding.object);
    case Rule::kNamesLeadToAnObject:
    case Rule::kNamesHaveTheType:
    case Rule::kNamesAreRecorded:
    case Rule::kRecordedNamesLeadBack:
    case Rule::kDirectoriesHaveOneName:
    case Rule::kNamesTellWhatTheyHide:
      return mend_name(finding);
    case Rule::kParentsAgree:
    case Rule::kParentsEndAtTheRoot:
    case Rule::kLinksAreCounted:
    case Rule::kChildrenAreCounted:
    case Rule::kObjectsHaveANameOrAreMarked:
    case Rule::kMarkedObjectsHaveNoName:
    case Rule::kSymlinksHaveATarget:
    case Rule::kXattrsAreShown:
      return mend_object(finding);
  }
  return nothing_left();
}

Result<std::string> Mender::mend_name(const Finding& finding) {
  const auto key = [&] {
    return name_key(finding.object, finding.place->directory, finding.place->name);
  };
  if (finding.rule == Rule::kNamesLeadToAnObject) return lead_to_something(finding);
  if (finding.rule == Rule::kNamesHaveTheType) return set_type(finding);
  if (finding.rule == Rule::kNamesTellWhatTheyHide) return tell_what_is_hidden(*finding.place);
  if (finding.rule == Rule::kDirectoriesHaveOneName) return drop_further_names(finding);
  if (finding.rule == Rule::kNamesAreRecorded) {
    DGFS_CHECK(writer_.put(key(), {}));
    DGFS_CHECK(writer_.recount({finding.object}));
    return "the record was written";
  }
  DGFS_CHECK(writer_.remove(key()));
  return "the record was dropped";
}

Result<std::string> Mender::mend_object(const Finding& finding) {
  const auto object = finding.object;
  if (finding.rule == Rule::kParentsAgree) return records_.set_parent(object);
  if (finding.rule == Rule::kParentsEndAtTheRoot) return break_circle(object);
  if (finding.rule == Rule::kObjectsHaveANameOrAreMarked) return save(object);
  if (finding.rule == Rule::kXattrsAreShown) return show_xattrs(object);
  if (finding.rule == Rule::kSymlinksHaveATarget) {
    DGFS_CHECK(writer_.remove(key_of(RecordClass::kAttributes, object)));
    return "the symlink was dropped";
  }
  if (finding.rule == Rule::kMarkedObjectsHaveNoName) {
    DGFS_CHECK(writer_.remove(key_of(RecordClass::kOrphan, object)));
    DGFS_CHECK(writer_.recount({object}));
    return "the mark was dropped";
  }
  DGFS_CHECK(writer_.recount({object}));
  return "counted again";
}

Result<std::string> Mender::reserve(ObjectNumber object) {
  if (object >= kNumbersEnd) {
    DGFS_CHECK(writer_.remove(key_of(RecordClass::kAttributes, object)));
    return "the object was dropped";
  }
  DGFS_TRY(end, reserved_end(writer_.moment()));
  if (object < end) return nothing_left();
  DGFS_CHECK(writer_.put(key_of(RecordClass::kReserved, 0), number_value(object + 1)));
  return "the number was reserved";
}

Result<std::string> Mender::lead_to_something(const Finding& finding) {
  DGFS_TRY(record, writer_.moment().record(finding.object));
  if (record) return nothing_left();
  DGFS_TRY(is_restored, writer_.restore(finding.object));
  if (is_restored) return "the object has its attributes of the image again";
  DGFS_CHECK(writer_.drop_name(*finding.place, finding.object));
  return "the name was dropped";
}

Result<std::string> Mender::set_type(const Finding& finding) {
  DGFS_TRY(record, writer_.moment().needed_record(finding.object));
  delta::Batch batch;
  writer_.put_name(batch, *finding.place, finding.object, record.attributes.mode);
  DGFS_CHECK(writer_.apply(std::move(batch)));
  DGFS_CHECK(writer_.recount({finding.place->directory, finding.object}));
  return "the name has the object's type now";
}

// The name in the directory's recorded parent stays.
Result<std::string> Mender::drop_further_names(const Finding& finding) {
  if (finding.object == kRoot && finding.place) {
    DGFS_CHECK(writer_.drop_name(*finding.place, kRoot));
    return "the name was dropped";
  }
  DGFS_TRY(facts, facts_of(writer_.moment(), finding.object));
  if (!facts) return nothing_left();
  auto drops = std::move(facts->names);
  if (finding.object != kRoot && !drops.empty()) {
    const auto parent = writer_.moment().parent(finding.object);
    if (!parent && !is_of_record(parent.error())) return parent.error();
    auto kept =
        parent ? std::ranges::find(drops, parent.value(), &NamePlace::directory) : drops.begin();
    drops.erase(kept == drops.end() ? drops.begin() : kept);
  }
  for (const NamePlace& place : drops) {
    DGFS_CHECK(writer_.drop_name(place, finding.object));
  }
  return "further names were dropped";
}

Result<std::string> Mender::break_circle(ObjectNumber directory) {
  DGFS_TRY(facts, facts_of(writer_.moment(), directory));
  if (!facts) return nothing_left();
  for (const NamePlace& place : facts->names) {
    DGFS_CHECK(writer_.drop_name(place, directory));
  }
  return save(directory);
}

Result<std::string> Mender::save(ObjectNumber object) {
  DGFS_TRY(record, writer_.moment().record(object));
  if (!record) {
    DGFS_TRY(is_restored, writer_.restore(object));
    if (!is_restored) return nothing_left();
  }
  DGFS_TRY(path, lost_and_found_.add(object));
  return "it is " + path + " now";
}

Result<std::string> Mender::tell_what_is_hidden(const NamePlace& place) {
  const auto key = key_of(RecordClass::kDentry, place.directory, place.name);
  DGFS_TRY(state, writer_.moment().name(place.directory, place.name));
  if (!state.dentry) {
    DGFS_CHECK(writer_.remove(key));
    return "a whiteout hides it now";
  }
  Dentry dentry = *state.dentry;
  dentry.hides_lower = true;
  DGFS_CHECK(writer_.put(key, encode_dentry(dentry)));
  return "it says so now";
}

Result<std::string> Mender::show_xattrs(ObjectNumber object) {
  DGFS_TRY(record, writer_.moment().needed_record(object));
  delta::Batch batch;
  batch.patch(key_of(RecordClass::kAttributes, object), field::kFlags,
              number_bytes(record.flags | kMayHaveXattrs));
  DGFS_CHECK(writer_.apply(std::move(batch)));
  return "it shows them now";
}

}  // namespace dgfs::view
