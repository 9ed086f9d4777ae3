// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/view.h"

#include <algorithm>
#include <array>
#include <utility>

#include "delta/view/access_rules.h"
#include "delta/view/directory_walk.h"
#include "delta/view/editor.h"
#include "delta/view/loop_guard.h"
#include "delta/view/makers.h"
#include "delta/view/memory_guard.h"
#include "delta/view/mover.h"
#include "delta/view/name_rules.h"
#include "delta/view/removers.h"
#include "delta/view/untouched.h"
#include "format/limits.h"

namespace dgfs::view {
namespace {

std::uint32_t random_number(storage::Env& env) {
  std::array<std::uint8_t, sizeof(std::uint32_t)> bytes{};
  env.random(bytes);
  std::uint32_t number = 0;
  for (const std::uint8_t byte : bytes) number = number << 8 | byte;
  return number;
}

// Numbers that a store below may have given are never given again.
Result<ObjectNumber> first_number(const Layers& layers, const delta::Manifest& manifest) {
  const Moment moment(layers);
  ObjectNumber first =
      std::max(layers.bottom().image().superblock().next_inode, manifest.stores.back().born_object);
  DGFS_TRY(message, moment.stores().find(key_of(RecordClass::kReserved, 0)));
  if (message.kind != delta::MessageKind::kPut) return first;
  const auto reserved = message.value ? number_of_value(*message.value) : std::nullopt;
  if (!reserved) {
    return Error(ErrorKind::kCorrupt, 7370, "the record of reserved numbers is damaged")
        .in_section("delta");
  }
  return std::max(first, *reserved);
}

Result<std::vector<ObjectNumber>> find_orphans(const Layers& layers) {
  const Moment moment(layers);
  std::vector<ObjectNumber> orphans;
  const auto keys = keys_of(RecordClass::kOrphan);
  auto cursor = moment.stores().cursor(keys);
  Status moved = cursor.seek(keys.begin);
  for (; moved && cursor.is_at_place(); moved = cursor.next()) {
    if (!cursor.has_message()) continue;
    DGFS_TRY(message, cursor.message());
    if (message.kind == delta::MessageKind::kPut) orphans.push_back(object_of(cursor.key()));
  }
  DGFS_CHECK(moved);
  return orphans;
}

}  // namespace

struct View::State {
  State(storage::Env& env, const reader::Image& image, delta::DeltaDirectory& directory,
        ObjectNumber first, const ViewOptions& options)
      : delta(directory),
        layers(image, directory, &orphans),
        writer(env, layers, orphans),
        numbers(layers.live(), first, options),
        makers(writer, numbers),
        removers(writer, orphans),
        mover(writer, numbers),
        editor(writer),
        listings(random_number(env)) {}

  [[nodiscard]] Status end_all() {
    for (const ObjectNumber object : orphans.all()) {
      DGFS_CHECK(removers.release(object));
    }
    return ok();
  }

  delta::DeltaDirectory& delta;
  Orphans orphans;
  Layers layers;
  Writer writer;
  ObjectNumbers numbers;
  Makers makers;
  Removers removers;
  Mover mover;
  Editor editor;
  Listings listings;
};

View::View(std::unique_ptr<State> state) : state_(std::move(state)) {}
View::~View() = default;

Result<std::unique_ptr<View>> View::open(storage::Env& env, const reader::Image& image,
                                         delta::DeltaDirectory& delta, const ViewOptions& options) {
  return whole_or_refused([&]() -> Result<std::unique_ptr<View>> {
    if (image.superblock().uuid != delta.manifest().image) {
      return Error(ErrorKind::kInvalidArgument, 7371, "the delta belongs to another image");
    }
    const Layers layers(image, delta);
    DGFS_TRY(first, first_number(layers, delta.manifest()));
    DGFS_TRY(orphans, find_orphans(layers));
    std::unique_ptr<View> view(
        new View(std::make_unique<State>(env, image, delta, first, options)));
    for (const ObjectNumber object : orphans) view->state_->orphans.add(object);
    DGFS_CHECK(view->state_->end_all());
    return view;
  });
}

Result<Entry> View::lookup(ObjectNumber directory, std::string_view name) const {
  return whole_or_refused([&]() -> Result<Entry> {
    DGFS_CHECK(check_component(name));
    DGFS_TRY(untouched, Untouched(state_->layers).lookup(directory, name));
    if (untouched) return *std::move(untouched);
    const Moment moment(state_->layers);
    const bool is_special = is_own_name(name);
    NameState found;
    if (!is_special) {
      DGFS_TRY(state, moment.name(directory, name));
      found = std::move(state);
    }
    if (!found.dentry) {
      DGFS_TRY(record, moment.needed_record(directory));
      if (!format::is_directory(record.attributes.mode)) {
        return Error(ErrorKind::kNotDirectory, 7372, "not a directory");
      }
      if (!is_special) return Error(ErrorKind::kNotFound, 7373, "no such name");
      if (name == ".") return Entry{directory, record.attributes};
      DGFS_TRY(parent, moment.parent(directory));
      DGFS_TRY(above, moment.needed_record(parent));
      return Entry{parent, above.attributes};
    }
    const auto object = found.dentry->object;
    DGFS_TRY(record, moment.record(object, found.node ? &*found.node : nullptr));
    if (!record) {
      return Error(ErrorKind::kCorrupt, 7374, "a name leads to no object").in_section("delta");
    }
    return Entry{object, record->attributes};
  });
}

Result<Entry> View::create(ObjectNumber directory, std::string_view name, const NewObject& object,
                           const Credentials& who) {
  return whole_or_refused([&]() -> Result<Entry> {
    const bool is_made_here = format::is_valid_mode(object.mode) &&
                              !format::is_directory(object.mode) &&
                              !format::is_symlink(object.mode);
    if (!is_made_here) return Error(ErrorKind::kInvalidArgument, 7375, "not a type to be made");
    const auto rdev = format::is_device(object.mode) ? object.rdev : 0;
    return state_->makers.make(directory, name, {object.mode, rdev, {}}, who);
  });
}

Result<Entry> View::create_unnamed(ObjectNumber directory, std::uint32_t permissions,
                                   const Credentials& who) {
  return whole_or_refused([&] {
    return state_->makers.make_unnamed(directory, permissions & format::kPermissionMask, who);
  });
}

Result<Entry> View::make_directory(ObjectNumber directory, std::string_view name,
                                   std::uint32_t permissions, const Credentials& who) {
  const auto mode = format::kTypeDirectory | (permissions & format::kPermissionMask);
  return whole_or_refused([&] { return state_->makers.make(directory, name, {mode, 0, {}}, who); });
}

Result<Entry> View::make_symlink(ObjectNumber directory, std::string_view name,
                                 std::string_view target, const Credentials& who) {
  return whole_or_refused([&]() -> Result<Entry> {
    if (target.empty()) return Error(ErrorKind::kNotFound, 7376, "a symlink leads somewhere");
    if (target.size() > format::kTargetBytesMax) {
      return Error(ErrorKind::kNameTooLong, 7377, "a target is longer than 4,095 bytes");
    }
    return state_->makers.make(directory, name, {format::kTypeSymlink | 0777, 0, target}, who);
  });
}

Result<Entry> View::link(ObjectNumber object, ObjectNumber directory, std::string_view name) {
  return whole_or_refused([&] { return state_->makers.link(object, directory, name); });
}

Result<Entry> View::unlink(ObjectNumber directory, std::string_view name) {
  return whole_or_refused([&] { return state_->removers.unlink(directory, name); });
}

Result<Entry> View::remove_directory(ObjectNumber directory, std::string_view name) {
  return whole_or_refused([&] { return state_->removers.remove_directory(directory, name); });
}

Result<Renamed> View::rename(ObjectNumber from, std::string_view old_name, ObjectNumber to,
                             std::string_view new_name, RenameMode mode, bool leaves_whiteout) {
  return whole_or_refused([&] {
    return state_->mover.rename(
        {{from, std::string(old_name)}, {to, std::string(new_name)}, mode, leaves_whiteout});
  });
}

Result<Attributes> View::attributes(ObjectNumber object) const {
  return whole_or_refused([&]() -> Result<Attributes> {
    DGFS_TRY(untouched, Untouched(state_->layers).attributes(object));
    if (untouched) return *untouched;
    DGFS_TRY(record, Moment(state_->layers).needed_record(object));
    return record.attributes;
  });
}

Result<Attributes> View::set_attributes(ObjectNumber object, const AttributeChange& change) {
  return whole_or_refused([&] { return state_->editor.set_attributes(object, change); });
}

Result<std::string> View::read_link(ObjectNumber object) const {
  return whole_or_refused([&]() -> Result<std::string> {
    const Moment moment(state_->layers);
    DGFS_TRY(record, moment.needed_record(object));
    if (!format::is_symlink(record.attributes.mode)) {
      return Error(ErrorKind::kInvalidArgument, 7378, "not a symlink");
    }
    return moment.target(object);
  });
}

Result<std::vector<std::string>> View::paths(ObjectNumber object) const {
  return whole_or_refused([&]() -> Result<std::vector<std::string>> {
    const Moment moment(state_->layers);
    DGFS_CHECK(moment.needed_record(object));
    std::vector<std::string> paths;
    if (object == kRoot) return std::vector<std::string>{""};
    DGFS_TRY(names, moment.names(object));
    for (NamePlace place : names) {
      auto path = place.name;
      LoopGuard guard;
      while (place.directory != kRoot) {
        if (guard.is_in_loop(place.directory)) {
          return Error(ErrorKind::kCorrupt, 7389, "directories lie in each other")
              .in_section("delta");
        }
        DGFS_TRY(above, moment.names(place.directory));
        if (above.empty()) break;
        place = above.front();
        path = place.name + "/" + path;
      }
      if (place.directory == kRoot) paths.push_back(std::move(path));
    }
    std::ranges::sort(paths);
    return paths;
  });
}

Status View::release(ObjectNumber object) {
  return whole_or_refused([&] { return state_->removers.release(object); });
}

Result<Buffer> View::xattr(ObjectNumber object, std::string_view name) const {
  return whole_or_refused([&]() -> Result<Buffer> {
    DGFS_CHECK(check_xattr_name(name));
    const Moment moment(state_->layers);
    DGFS_TRY(record, moment.needed_record(object));
    std::optional<std::string> value;
    if ((record.flags & kMayHaveXattrs) != 0) {
      DGFS_TRY(found, moment.xattr(object, name));
      value = std::move(found);
    }
    if (!value) return Error(ErrorKind::kNoAttribute, 7379, "no such attribute");
    const auto bytes = as_bytes(*value);
    return Buffer(bytes.begin(), bytes.end());
  });
}

Result<std::vector<std::string>> View::xattr_names(ObjectNumber object) const {
  return whole_or_refused([&]() -> Result<std::vector<std::string>> {
    const Moment moment(state_->layers);
    DGFS_TRY(record, moment.needed_record(object));
    if ((record.flags & kMayHaveXattrs) == 0) return std::vector<std::string>();
    return moment.xattr_names(object);
  });
}

Status View::set_xattr(ObjectNumber object, std::string_view name, Bytes value, XattrMode mode) {
  return whole_or_refused([&] { return state_->editor.set_xattr(object, name, value, mode); });
}

Status View::remove_xattr(ObjectNumber object, std::string_view name) {
  return whole_or_refused([&] { return state_->editor.remove_xattr(object, name); });
}

Status View::list(ObjectNumber directory, std::string_view after,
                  const std::function<bool(const ListedName&)>& visit) const {
  return whole_or_refused([&]() -> Status {
    const Moment moment(state_->layers);
    DGFS_TRY(record, moment.needed_record(directory));
    if (!format::is_directory(record.attributes.mode)) {
      return Error(ErrorKind::kNotDirectory, 7380, "not a directory");
    }
    if (record.attributes.link_count == 0) return ok();
    DGFS_TRY(walk, DirectoryWalk::make(moment, directory));
    DGFS_CHECK(walk.seek(after));
    if (walk.is_at_name() && !after.empty() && walk.name() == after) {
      DGFS_CHECK(walk.next());
    }
    while (walk.is_at_name() && visit({walk.name(), walk.dentry().object, walk.dentry().type})) {
      DGFS_CHECK(walk.next());
    }
    return ok();
  });
}

Result<std::unique_ptr<Listing>> View::open_listing(ObjectNumber directory) {
  return whole_or_refused([&]() -> Result<std::unique_ptr<Listing>> {
    DGFS_TRY(record, Moment(state_->layers).needed_record(directory));
    if (!format::is_directory(record.attributes.mode)) {
      return Error(ErrorKind::kNotDirectory, 7384, "not a directory");
    }
    return std::make_unique<Listing>(state_->layers, state_->listings, directory);
  });
}

Status View::sync() {
  return whole_or_refused([&] { return state_->layers.live().sync(); });
}

Status View::sync(ObjectNumber object) {
  return whole_or_refused([&]() -> Status {
    const auto sequence = state_->writer.last_change(object);
    return sequence == 0 ? ok() : state_->layers.live().sync(sequence);
  });
}

ViewSpace View::space() {
  const auto space = state_->layers.live().space();
  return {space.used_bytes, space.free_bytes};
}

ObjectNumber View::end_of_objects() const { return state_->numbers.end(); }

Status View::close() {
  return whole_or_refused([&]() -> Status {
    DGFS_CHECK(state_->end_all());
    return state_->delta.close();
  });
}

}  // namespace dgfs::view
