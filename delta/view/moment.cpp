// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/moment.h"

#include <algorithm>
#include <set>

#include "delta/store/snapshot/snapshot.h"

namespace dgfs::view {
namespace {

using delta::Message;
using delta::MessageKind;

constexpr const char* kHolder = "view";

Error damaged(std::uint16_t code, RecordClass record, ObjectNumber object) {
  return Error(ErrorKind::kCorrupt, code,
               std::string("record ") + static_cast<char>(record) + " of object " +
                   std::to_string(object) + " is damaged")
      .in_section("delta");
}

bool says_nothing(const Message& message) {
  return message.kind == MessageKind::kPatch && message.patch.empty();
}

void cap_blocks(Attributes& attributes) {
  if (!format::is_regular(attributes.mode)) return;
  attributes.blocks = std::min(attributes.blocks, blocks_max(attributes.size_bytes));
}

bool has_image_below(RecordClass record) {
  switch (record) {
    case RecordClass::kAttributes:
    case RecordClass::kChunk:
    case RecordClass::kDentry:
    case RecordClass::kTarget:
    case RecordClass::kParent:
    case RecordClass::kXattr:
      return true;
    case RecordClass::kName:
    case RecordClass::kOrphan:
    case RecordClass::kReserved:
      return false;
  }
  return true;
}

std::vector<delta::Snapshot> with_live(std::vector<delta::Snapshot> sealed,
                                       const delta::Snapshot& live) {
  sealed.push_back(live);
  return sealed;
}

}  // namespace

Moment::Moment(GenerationRef generation)
    : generation_(std::move(generation)),
      live_(generation_->live().snapshot(kHolder)),
      all_(with_live(generation_->sealed(), live_)) {}

bool Moment::may_be_below(RecordClass record, ObjectNumber object) const {
  if (object >= live_.born_object()) return false;
  return generation_->sealed_may_have(record, object) ||
         (has_image_below(record) && generation_->bottom().may_have(object));
}

Result<NameState> Moment::name(ObjectNumber directory, std::string_view name) const {
  if (!generation_->live_may_have(RecordClass::kDentry, directory))
    return name_below(directory, name);
  DGFS_TRY(message, live_.find(key_of(RecordClass::kDentry, directory, name)));
  NameState state;
  switch (message.kind) {
    case MessageKind::kPut:
      state.dentry = message.value ? decode_dentry(*message.value) : std::nullopt;
      if (!state.dentry) return damaged(7320, RecordClass::kDentry, directory);
      state.is_shown_below = state.dentry->hides_lower;
      return state;
    case MessageKind::kErase:
      return state;
    case MessageKind::kDelete:
      state.may_be_shown_below = may_be_below(RecordClass::kDentry, directory);
      return state;
    case MessageKind::kPatch:
      break;
  }
  if (directory >= live_.born_object()) return state;
  return name_below(directory, name);
}

Result<NameState> Moment::name_below(ObjectNumber directory, std::string_view name) const {
  NameState state;
  if (generation_->sealed_may_have(RecordClass::kDentry, directory)) {
    DGFS_TRY(message,
             generation_->sealed_stack().find(key_of(RecordClass::kDentry, directory, name)));
    if (message.kind == MessageKind::kPut) {
      state.dentry = message.value ? decode_dentry(*message.value) : std::nullopt;
      if (!state.dentry) return damaged(7321, RecordClass::kDentry, directory);
      state.is_shown_below = true;
    }
    if (message.is_final()) return state;
  }
  DGFS_TRY(node, generation_->bottom().child(directory, name));
  if (!node) return state;
  state.dentry = dentry_of(*node);
  state.is_in_image = state.is_shown_below = true;
  state.node = std::move(node);
  return state;
}

Status Moment::look_below(ObjectNumber directory, std::string_view name, NameState& state) const {
  if (!std::exchange(state.may_be_shown_below, false)) return ok();
  DGFS_TRY(below, name_below(directory, name));
  state.is_shown_below = below.dentry.has_value();
  return ok();
}

Result<bool> Moment::leads_to(const NamePlace& place, ObjectNumber object) const {
  if (generation_->is_untouched(RecordClass::kDentry, place.directory)) return true;
  DGFS_TRY(state, name(place.directory, place.name));
  return state.dentry && state.dentry->object == object;
}

// Whether an object of the image without records has lost its name. Other objects have their link
// count in a record. An object that the image has without a name is one that programs used during a
// merge; once they do not, nothing refers to it.
Result<bool> Moment::is_unlinked(const reader::Node& node) const {
  if (node.link_count == 0) return true;
  if (node.link_count != 1 || format::is_directory(node.mode)) return false;
  DGFS_TRY(parent, generation_->bottom().parent(node.inode));
  if (parent && generation_->is_untouched(RecordClass::kDentry, *parent)) return false;
  DGFS_TRY(names, generation_->bottom().names(node));
  for (const NamePlace& place : names) {
    DGFS_TRY(leads, leads_to(place, node.inode));
    if (leads) return false;
  }
  return true;
}

Result<bool> Moment::is_untouched(ObjectNumber object) const {
  if (generation_->is_untouched(RecordClass::kAttributes, object)) return true;
  DGFS_TRY(message, all_.find(key_of(RecordClass::kAttributes, object)));
  return says_nothing(message);
}

Result<std::optional<AttributesRecord>> Moment::record(ObjectNumber object,
                                                       const reader::Node* node) const {
  DGFS_TRY(record, uncapped_record(object, node));
  if (record) cap_blocks(record->attributes);
  return record;
}

Result<std::optional<AttributesRecord>> Moment::uncapped_record(ObjectNumber object,
                                                                const reader::Node* node) const {
  Message said;
  if (!generation_->is_untouched(RecordClass::kAttributes, object)) {
    DGFS_TRY(message, all_.find(key_of(RecordClass::kAttributes, object)));
    said = std::move(message);
  }
  if (said.kind == MessageKind::kPut) {
    auto record = said.value ? decode_attributes(*said.value) : std::nullopt;
    if (!record) return damaged(7322, RecordClass::kAttributes, object);
    return record;
  }
  if (said.is_final()) return std::optional<AttributesRecord>();
  std::optional<reader::Node> found;
  if (node == nullptr) {
    DGFS_TRY(below, generation_->bottom().node(object));
    if (!below) return std::optional<AttributesRecord>();
    found = std::move(below);
    node = &*found;
  }
  DGFS_TRY(record, generation_->bottom().record_of(*node));
  if (says_nothing(said)) {
    DGFS_TRY(is_gone, is_unlinked(*node));
    if (!is_gone) return std::optional(record);
    const auto since = generation_->orphan_since(object);
    if (!since) return std::optional<AttributesRecord>();
    if (record.attributes.link_count != 0) record.attributes.ctime = *since;
    record.attributes.link_count = 0;
    return std::optional(record);
  }
  auto value = encode_attributes(record);
  said.patch.apply_to(value);
  auto patched = decode_attributes(value);
  if (!patched) return damaged(7323, RecordClass::kAttributes, object);
  return patched;
}

Result<AttributesRecord> Moment::needed_record(ObjectNumber object) const {
  DGFS_TRY(found, record(object));
  if (!found) return Error(ErrorKind::kNotFound, 7324, "no such object");
  return *found;
}

Result<ObjectNumber> Moment::parent(ObjectNumber directory) const {
  if (directory == kRoot) return kRoot;
  if (!generation_->is_untouched(RecordClass::kParent, directory)) {
    DGFS_TRY(message, all_.find(key_of(RecordClass::kParent, directory)));
    if (message.kind == MessageKind::kPut) {
      const auto parent = message.value ? number_of_value(*message.value) : std::nullopt;
      if (!parent) return damaged(7325, RecordClass::kParent, directory);
      return *parent;
    }
  }
  DGFS_TRY(below, generation_->bottom().parent(directory));
  if (!below) return damaged(7326, RecordClass::kParent, directory);
  return *below;
}

Result<std::string> Moment::target(ObjectNumber symlink) const {
  if (!generation_->is_untouched(RecordClass::kTarget, symlink)) {
    DGFS_TRY(message, all_.find(key_of(RecordClass::kTarget, symlink)));
    if (message.kind == MessageKind::kPut && message.value) return *message.value;
  }
  DGFS_TRY(node, generation_->bottom().node(symlink));
  if (!node) return damaged(7327, RecordClass::kTarget, symlink);
  return generation_->bottom().image().read_link(*node);
}

Result<std::vector<NamePlace>> Moment::names(ObjectNumber object) const {
  std::vector<NamePlace> names;
  if (!generation_->is_untouched(RecordClass::kName, object)) {
    auto cursor = all_.cursor(keys_of(RecordClass::kName, object));
    Status moved = cursor.seek(key_of(RecordClass::kName, object));
    for (; moved && cursor.is_at_place(); moved = cursor.next()) {
      if (!cursor.has_message()) continue;
      DGFS_TRY(message, cursor.message());
      if (message.kind != MessageKind::kPut) continue;
      auto place = name_place_of(rest_of(cursor.key()));
      if (!place) return damaged(7328, RecordClass::kName, object);
      names.push_back(*std::move(place));
    }
    DGFS_CHECK(moved);
  }
  DGFS_TRY(node, generation_->bottom().node(object));
  if (!node) return names;
  DGFS_TRY(in_image, generation_->bottom().names(*node));
  for (NamePlace& place : in_image) {
    DGFS_TRY(state, name(place.directory, place.name));
    if (state.is_in_image) names.push_back(std::move(place));
  }
  std::ranges::sort(names);
  return names;
}

Result<std::vector<Xattr>> Moment::image_xattrs(ObjectNumber object) const {
  DGFS_TRY(node, generation_->bottom().node(object));
  if (!node) return std::vector<Xattr>();
  return generation_->bottom().image().xattrs(*node);
}

Result<std::optional<std::string>> Moment::xattr(ObjectNumber object, std::string_view name) const {
  if (!generation_->is_untouched(RecordClass::kXattr, object)) {
    DGFS_TRY(message, all_.find(key_of(RecordClass::kXattr, object, name)));
    if (message.is_final()) return delta::value_over_nothing(std::move(message));
  }
  DGFS_TRY(xattrs, image_xattrs(object));
  const auto found = std::ranges::find(xattrs, name, &Xattr::name);
  if (found == xattrs.end()) return std::optional<std::string>();
  return std::optional(std::string(as_text(found->value)));
}

Result<std::vector<std::string>> Moment::xattr_names(ObjectNumber object) const {
  std::set<std::string, std::less<>> names;
  DGFS_TRY(xattrs, image_xattrs(object));
  for (Xattr& each : xattrs) names.insert(std::move(each.name));
  if (!generation_->is_untouched(RecordClass::kXattr, object)) {
    auto cursor = all_.cursor(keys_of(RecordClass::kXattr, object));
    Status moved = cursor.seek(key_of(RecordClass::kXattr, object));
    for (; moved && cursor.is_at_place(); moved = cursor.next()) {
      const auto rest = rest_of(cursor.key());
      if (const auto* end = cursor.covered_until()) {
        const auto is_covered = [&](const std::string& name) {
          return name >= rest && delta::is_before(key_of(RecordClass::kXattr, object, name), *end);
        };
        std::erase_if(names, is_covered);
      }
      if (!cursor.has_message()) continue;
      DGFS_TRY(message, cursor.message());
      if (message.kind == MessageKind::kPut) {
        names.emplace(rest);
      } else if (const auto name = names.find(rest); name != names.end()) {
        names.erase(name);
      }
    }
    DGFS_CHECK(moved);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace dgfs::view
