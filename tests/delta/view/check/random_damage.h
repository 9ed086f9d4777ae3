// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Records of a tree that are damaged at random, and what a repair has to leave as it was.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "delta/store/run/batch.h"
#include "delta/view/moment.h"
#include "tests/delta/view/check/random_changes.h"

namespace dgfs::test {

/// An object by one of its paths: all objects and names on it, from the root on. A value.
struct NamedObject {
  std::vector<view::ObjectNumber> objects;
  std::vector<view::NamePlace> places;
  view::Attributes attributes;
};
/// By path.
[[nodiscard]] std::map<std::string, NamedObject> named_objects(view::View& view);

/// What damage may change. A value.
class DamagedRecords {
 public:
  /// @param value  of a record before, or after
  void note(std::string_view key, std::string_view value);
  [[nodiscard]] bool may_have_changed(const NamedObject& named) const;

 private:
  std::set<view::ObjectNumber> objects_;
  std::set<view::NamePlace> places_;
};

/// Changes some of all records: they are dropped, cut, or get a byte that is another.
[[nodiscard]] DamagedRecords damage_at_random(const view::Layers& layers, Chance& chance,
                                              delta::Batch& batch);
/// Expects of all that is not damaged that it has its names and its attributes. Returns how many
/// paths these are.
std::size_t expect_unchanged(const std::map<std::string, NamedObject>& before,
                             const std::map<std::string, NamedObject>& after,
                             const DamagedRecords& damaged);

}  // namespace dgfs::test
