// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/state_changes.h"

#include <optional>
#include <utility>

#include "delta/store/run/object_key.h"

namespace dgfs::view {
namespace {

constexpr std::size_t kObjectsMax = 10'000'000;

// What the records of layers mention.
class Mentioned {
 public:
  explicit Mentioned(StateChanges& changes) : changes_(changes) {}

  [[nodiscard]] Status read(const delta::Store& layer) {
    auto cursor = layer.message_cursor();
    Status moved = cursor.seek("");
    for (; moved && cursor.is_at_place(); moved = cursor.next()) {
      if (cursor.message()) {
        DGFS_CHECK(note(cursor.key()));
      }
      if (const auto* end = cursor.covered_until()) {
        DGFS_CHECK(note_range(cursor.key(), *end));
      }
    }
    return moved;
  }
  [[nodiscard]] const std::set<ObjectNumber>& objects() const { return objects_; }

 private:
  [[nodiscard]] Status note(std::string_view key) {
    const auto prefix = delta::prefix_of(key);
    const auto record = static_cast<RecordClass>(prefix.object_class);
    if (record == RecordClass::kReserved) return ok();
    if (record == RecordClass::kDentry && !rest_of(key).empty()) {
      changes_.names[prefix.object].insert(std::string(rest_of(key)));
    }
    return note(prefix.object);
  }
  // The range deletes of neighbours may have become one.
  [[nodiscard]] Status note_range(std::string_view begin, const delta::KeyEnd& end) {
    const auto first = delta::prefix_of(begin);
    if (!end || delta::prefix_of(*end).object_class != first.object_class) {
      return note(first.object);
    }
    const auto last = delta::prefix_of(*end);
    for (auto object = first.object; object <= last.object; ++object) {
      if (object == last.object && *end == delta::first_key_of(last)) break;
      DGFS_CHECK(note(object));
    }
    return ok();
  }
  [[nodiscard]] Status note(ObjectNumber object) {
    objects_.insert(object);
    if (objects_.size() <= kObjectsMax) return ok();
    return Error(ErrorKind::kLimit, 7531, "too many objects were changed between the two states");
  }

  StateChanges& changes_;
  std::set<ObjectNumber> objects_;
};

// Notes the names of changed objects in one state, and those of all directories above.
class Climb {
 public:
  Climb(const NamesInState& names, StateChanges& changes) : names_(names), changes_(changes) {}

  [[nodiscard]] Status from(ObjectNumber object) {
    std::vector<ObjectNumber> pending{object};
    while (!pending.empty()) {
      const auto each = pending.back();
      pending.pop_back();
      if (!seen_.insert(each).second) continue;
      DGFS_TRY(places, names_(each));
      for (const NamePlace& place : places) {
        changes_.names[place.directory].insert(place.name);
        pending.push_back(place.directory);
      }
    }
    return ok();
  }

 private:
  const NamesInState& names_;
  StateChanges& changes_;
  std::set<ObjectNumber> seen_;
};

}  // namespace

Result<StateChanges> changes_between(std::span<const std::shared_ptr<delta::Store>> layers,
                                     const NamesInState& first, const NamesInState& second) {
  StateChanges changes;
  Mentioned mentioned(changes);
  for (const auto& layer : layers) {
    DGFS_CHECK(mentioned.read(*layer));
  }
  // Of a directory whose names have changed, the way to it must be found, too.
  auto objects = mentioned.objects();
  for (const auto& [directory, names] : changes.names) objects.insert(directory);
  for (const auto* names : {&first, &second}) {
    Climb climb(*names, changes);
    for (const ObjectNumber object : objects) {
      DGFS_CHECK(climb.from(object));
    }
  }
  return changes;
}

}  // namespace dgfs::view
