// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StateChanges: where two states of a delta may differ, found from the records of the layers
// between them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/store/store.h"
#include "delta/view/object.h"
#include "delta/view/record/keys.h"

namespace dgfs::view {

/// A directory that is the same object in both states differs in these names alone, and below them;
/// without an entry here it does not differ at all. Only says where to look: what lies there may
/// also be equal. A value.
struct StateChanges {
  std::map<ObjectNumber, std::set<std::string>> names;

  /// Null: the directory does not differ.
  [[nodiscard]] const std::set<std::string>* names_in(ObjectNumber directory) const {
    const auto found = names.find(directory);
    return found == names.end() ? nullptr : &found->second;
  }
};

/// changes_between() reads at most so many changed objects and names from layers. It takes some 150
/// bytes for an object, and 100 for a name.
inline constexpr std::size_t kChangedObjectsMax = 10'000'000;

/// All names of an object in one state; none if it has none, or does not exist.
using NamesInState = std::function<Result<std::vector<NamePlace>>(ObjectNumber)>;

/// None: more was changed than it may keep, so a walk of both trees is the better way.
/// @param layers  that the upper state shows and the lower one does not
/// @param first   of one of the two states, as `second` of the other
/// Errors: those of the stores and of the two functions. Cost: reads the layers once, and looks up
/// each changed object and the directories above it in both states; memory for these.
[[nodiscard]] Result<std::optional<StateChanges>> changes_between(
    std::span<const std::shared_ptr<delta::Store>> layers, const NamesInState& first,
    const NamesInState& second, std::size_t objects_max = kChangedObjectsMax);

}  // namespace dgfs::view
