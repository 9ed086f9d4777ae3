// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/object_facts.h"

#include <algorithm>
#include <utility>

#include "delta/view/directory_walk.h"

namespace dgfs::view {
namespace {

Status count_children(const Moment& moment, StopFlag stop, ObjectFacts& facts) {
  DGFS_TRY(walk, DirectoryWalk::make(moment, facts.object, false, stop));
  DGFS_CHECK(walk.seek(""));
  while (walk.is_at_name()) {
    ++facts.children;
    if (walk.dentry().type == format::kTypeDirectory) ++facts.subdirectories;
    DGFS_CHECK(walk.next());
  }
  return ok();
}

// The image may list only a part of an object's names.
Status count_unknown_names(const Moment& moment, ObjectFacts& facts) {
  DGFS_TRY(node, moment.layers().bottom().node(facts.object));
  if (!node || node->link_count <= 1) return ok();
  DGFS_TRY(known, moment.layers().bottom().names(*node));
  facts.unknown_names = node->link_count - std::min<std::uint64_t>(node->link_count, known.size());
  return ok();
}

}  // namespace

Result<std::vector<NamePlace>> leading_names(const Moment& moment, ObjectNumber object,
                                             StopFlag stop) {
  DGFS_TRY(names, moment.names(object));
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<NamePlace> leading;
  for (NamePlace& place : names) {
    DGFS_CHECK(stop.check());
    DGFS_TRY(state, moment.name(place.directory, place.name));
    if (state.dentry && state.dentry->object == object) leading.push_back(std::move(place));
  }
  return leading;
}

std::uint64_t ObjectFacts::right_links() const {
  if (!is_directory()) {
    return std::clamp<std::uint64_t>(record.attributes.link_count, names.size(),
                                     names.size() + unknown_names);
  }
  const bool is_linked = !names.empty() || object == kRoot;
  return is_linked ? 2 + subdirectories : 0;
}

bool ObjectFacts::is_lost() const {
  if (object == kRoot || !names.empty()) return false;
  if (is_directory() && children != 0) return true;  // ending it would end its children
  if ((is_untouched || is_nameless_below) && !is_directory()) return false;
  const bool may_have_name = unknown_names != 0 && record.attributes.link_count != 0;
  return !is_marked && !may_have_name;
}

Result<std::optional<ObjectFacts>> facts_of(const Moment& moment, ObjectNumber object,
                                            StopFlag stop) {
  DGFS_TRY(record, moment.record(object));
  if (!record) return std::optional<ObjectFacts>();
  ObjectFacts facts;
  facts.object = object;
  facts.record = *record;
  DGFS_TRY(names, leading_names(moment, object, stop));
  facts.names = std::move(names);
  if (facts.is_directory()) {
    DGFS_CHECK(count_children(moment, stop, facts));
  } else {
    DGFS_CHECK(count_unknown_names(moment, facts));
  }
  DGFS_TRY(is_marked, has_record(moment, key_of(RecordClass::kOrphan, object)));
  facts.is_marked = is_marked;
  DGFS_TRY(is_untouched, moment.is_untouched(object));
  facts.is_untouched = is_untouched;
  DGFS_TRY(node, moment.layers().bottom().node(object));
  facts.is_nameless_below = node && node->link_count == 0;
  return std::optional(std::move(facts));
}

bool is_of_record(const Error& error) {
  return error.kind() == ErrorKind::kCorrupt && error.section() == "delta";
}

bool is_said(const delta::Message& message) {
  return message.kind == delta::MessageKind::kPut ||
         (message.kind == delta::MessageKind::kPatch && !message.patch.empty());
}

Result<bool> has_record(const Moment& moment, std::string_view key) {
  DGFS_TRY(message, moment.stores().find(key));
  return is_said(message);
}

Result<bool> has_children(const Moment& moment, ObjectNumber directory, StopFlag stop) {
  DGFS_TRY(walk, DirectoryWalk::make(moment, directory, false, stop));
  DGFS_CHECK(walk.seek(""));
  return walk.is_at_name();
}

Result<ObjectNumber> reserved_end(const Moment& moment) {
  const Generation& layers = moment.layers();
  const auto born = layers.live().snapshot("check").born_object();
  const auto end =
      std::max({layers.bottom().image().superblock().next_inode, born, layers.reserved_by_base()});
  DGFS_TRY(message, moment.stores().find(key_of(RecordClass::kReserved, 0)));
  const auto reserved = message.value ? number_of_value(*message.value) : std::nullopt;
  return std::max(end, reserved.value_or(0));
}

}  // namespace dgfs::view
