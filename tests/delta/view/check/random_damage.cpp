// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/check/random_damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "delta/view/check/object_facts.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;
using view::RecordClass;

constexpr std::size_t kOneIn = 20;

void collect(view::View& view, const std::string& path, const NamedObject& above,
             std::map<std::string, NamedObject>& seen) {
  const auto directory = above.objects.back();
  expect_ok(view.list(directory, "", [&](const view::View::ListedName& listed) {
    NamedObject next = above;
    next.objects.push_back(listed.object);
    next.places.push_back({directory, std::string(listed.name)});
    next.attributes = value_of(view.attributes(listed.object));
    const auto name = path + "/" + std::string(listed.name);
    seen[name] = next;
    if (listed.type == format::kTypeDirectory) collect(view, name, next, seen);
    return true;
  }));
}

// Returns nullopt if the record is to be dropped.
std::optional<std::string> damaged_value(std::string value, Chance& chance) {
  const auto way = chance.below(3);
  if (way == 0 || value.empty()) return std::nullopt;
  if (way == 1) {
    value.resize(chance.below(value.size()));
  } else {
    value[chance.below(value.size())] ^= static_cast<char>(1 + chance.below(255));
  }
  return value;
}

}  // namespace

std::map<std::string, NamedObject> named_objects(view::View& view) {
  std::map<std::string, NamedObject> seen;
  collect(view, "", {{kRoot}, {}, {}}, seen);
  return seen;
}

void DamagedRecords::note(std::string_view key, std::string_view value) {
  const auto object = view::object_of(key);
  if (key.front() == static_cast<char>(RecordClass::kReserved)) return;
  if (key.front() != static_cast<char>(RecordClass::kDentry)) {
    objects_.insert(object);
    return;
  }
  places_.insert({object, std::string(view::rest_of(key))});
  if (const auto dentry = view::decode_dentry(value)) objects_.insert(dentry->object);
}

bool DamagedRecords::may_have_changed(const NamedObject& named) const {
  return std::ranges::any_of(named.objects,
                             [&](auto object) { return objects_.contains(object); }) ||
         std::ranges::any_of(named.places,
                             [&](const auto& place) { return places_.contains(place); });
}

DamagedRecords damage_at_random(const view::GenerationRef& layers, Chance& chance,
                                delta::Batch& batch) {
  DamagedRecords damaged;
  const view::Moment moment(layers);
  auto cursor = moment.stores().cursor();
  Status moved = cursor.seek("");
  for (; moved && cursor.is_at_place(); moved = cursor.next()) {
    if (!cursor.has_message() || chance.below(kOneIn) != 0) continue;
    const auto message = value_of(cursor.message());
    if (!view::is_said(message)) continue;
    const std::string key(cursor.key());
    std::string value = message.value ? *message.value : std::string(100, '\0');
    damaged.note(key, value);
    auto changed = damaged_value(std::move(value), chance);
    if (changed) {
      damaged.note(key, *changed);
      batch.put(key, *std::move(changed));
    } else {
      batch.remove(key);
    }
  }
  expect_ok(moved);
  return damaged;
}

std::size_t expect_unchanged(const std::map<std::string, NamedObject>& before,
                             const std::map<std::string, NamedObject>& after,
                             const DamagedRecords& damaged) {
  std::set<ObjectNumber> with_changed_names;
  for (const auto& [path, seen] : before) {
    if (damaged.may_have_changed(seen)) with_changed_names.insert(seen.objects.back());
  }
  std::size_t unchanged = 0;
  for (const auto& [path, seen] : before) {
    if (damaged.may_have_changed(seen)) continue;
    ++unchanged;
    const auto now = after.find(path);
    if (now == after.end()) {
      ADD_FAILURE() << path << " is gone after the repair";
      continue;
    }
    EXPECT_EQ(now->second.objects, seen.objects) << path;
    // The repair may have removed names in it.
    if (format::is_directory(seen.attributes.mode)) continue;
    if (with_changed_names.contains(seen.objects.back())) continue;
    EXPECT_EQ(now->second.attributes, seen.attributes) << path;
  }
  return unchanged;
}

}  // namespace dgfs::test
