// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/state_changes.h"

#include <optional>
#include <utility>

#include "delta/store/run/object_key.h"

namespace dgfs::view {
namespace {

// The objects and names that records of layers are about.
class Mentioned {
 public:
  Mentioned(StateChanges& changes, std::size_t objects_max)
      : changes_(changes), objects_max_(objects_max) {}

  /// Stops when there are too many objects.
  [[nodiscard]] Status read(const delta::Store& layer) {
    auto cursor = layer.message_cursor();
    Status moved = cursor.seek("");
    for (; moved && cursor.is_at_place() && !has_too_many(); moved = cursor.next()) {
      if (cursor.message()) note(cursor.key());
      if (const auto* end = cursor.covered_until()) note_range(cursor.key(), *end);
    }
    return moved;
  }
  [[nodiscard]] bool has_too_many() const { return objects_.size() + names_ > objects_max_; }
  [[nodiscard]] std::set<ObjectNumber> take_objects() { return std::move(objects_); }

 private:
  void note(std::string_view key) {
    const auto prefix = delta::prefix_of(key);
    const auto record = static_cast<RecordClass>(prefix.object_class);
    if (record == RecordClass::kReserved) return;
    if (record == RecordClass::kDentry && !rest_of(key).empty()) {
      if (changes_.names[prefix.object].insert(std::string(rest_of(key))).second) ++names_;
    }
    objects_.insert(prefix.object);
  }
  // The range deletes of neighbours may have become one.
  void note_range(std::string_view begin, const delta::KeyEnd& end) {
    const auto first = delta::prefix_of(begin);
    objects_.insert(first.object);
    if (!end || delta::prefix_of(*end).object_class != first.object_class) return;
    const auto last = delta::prefix_of(*end);
    for (auto object = first.object; object <= last.object && !has_too_many(); ++object) {
      if (object == last.object && *end == delta::first_key_of(last)) break;
      objects_.insert(object);
    }
  }

  StateChanges& changes_;
  const std::size_t objects_max_;
  std::size_t names_ = 0;  ///< in changes_
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

Result<std::optional<StateChanges>> changes_between(
    std::span<const std::shared_ptr<delta::Store>> layers, const NamesInState& first,
    const NamesInState& second, std::size_t objects_max) {
  StateChanges changes;
  Mentioned mentioned(changes, objects_max);
  for (const auto& layer : layers) {
    DGFS_CHECK(mentioned.read(*layer));
    if (mentioned.has_too_many()) return std::optional<StateChanges>();
  }
  // Of a directory whose names have changed, the way to it must be found, too.
  auto objects = mentioned.take_objects();
  for (const auto& [directory, names] : changes.names) objects.insert(directory);
  for (const auto* names : {&first, &second}) {
    Climb climb(*names, changes);
    for (const ObjectNumber object : objects) {
      DGFS_CHECK(climb.from(object));
    }
  }
  return std::optional(std::move(changes));
}

}  // namespace dgfs::view
