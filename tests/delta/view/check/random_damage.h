// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damages records of a tree at random, and checks that a repair leaves the rest unchanged.
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

/// An object by one of its paths, with all objects and names on the way from the root. A value.
struct NamedObject {
  std::vector<view::ObjectNumber> objects;
  std::vector<view::NamePlace> places;
  view::Attributes attributes;
};
/// All objects by path.
[[nodiscard]] std::map<std::string, NamedObject> named_objects(view::View& view);

/// The keys and values that damage has touched. A value.
class DamagedRecords {
 public:
  /// @param value  of a record, before or after the damage
  void note(std::string_view key, std::string_view value);
  [[nodiscard]] bool may_have_changed(const NamedObject& named) const;

 private:
  std::set<view::ObjectNumber> objects_;
  std::set<view::NamePlace> places_;
};

/// Changes some records at random: it drops them, cuts them, or changes a byte.
[[nodiscard]] DamagedRecords damage_at_random(const view::GenerationRef& layers, Chance& chance,
                                              delta::Batch& batch);
/// Expects that all undamaged objects have their names and attributes. Returns the number of their
/// paths.
std::size_t expect_unchanged(const std::map<std::string, NamedObject>& before,
                             const std::map<std::string, NamedObject>& after,
                             const DamagedRecords& damaged);

}  // namespace dgfs::test
