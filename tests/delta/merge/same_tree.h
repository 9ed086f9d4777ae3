// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares two trees whose objects have different numbers.
#pragma once

#include <string>

#include "tests/delta/view/model/model_tree.h"

namespace dgfs::test {

/// The first difference between two trees in names, links and facts of objects, for messages;
/// empty: none. Numbers, objects without a name, and the times ctime and atime do not count.
[[nodiscard]] std::string difference_of_trees(const ModelTree& expected, const ModelTree& seen);

}  // namespace dgfs::test
