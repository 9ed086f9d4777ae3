// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where two models of one tree differ, found by a walk of both.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/delta/view/model/model_tree.h"

namespace dgfs::test {

/// For each directory that is the same object in both trees, and has a name in both: the names
/// whose objects differ, or below which anything differs.
[[nodiscard]] std::map<ModelId, std::set<std::string>> differing_names(const ModelTree& first,
                                                                       const ModelTree& second);

}  // namespace dgfs::test
