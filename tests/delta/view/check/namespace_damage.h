// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree with one object of each kind, and batches that each break one rule of its records.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "delta/store/run/batch.h"
#include "delta/view/check/namespace_finding.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {

/// Objects by their name in the tests.
using Known = std::map<std::string, view::ObjectNumber>;

/// Adds the image's part of the tree; call it before ViewedTree::open().
/// @param has_link  whether a file has a second name that the image does not list
void add_image_part(PackedTree& tree, bool has_link = true);
/// Makes the rest with a view; one object then waits for its end. A store that was sealed in the
/// middle has a part of it.
/// @param seals  whether there are two stores
[[nodiscard]] Known make_known_tree(ViewedTree& viewed, bool seals);

/// One way to break a rule. A value.
struct Damage {
  const char* name;
  view::Rule rule;
  std::function<void(delta::Batch&, Known&)> make;
};
[[nodiscard]] const std::vector<Damage>& damages();

}  // namespace dgfs::test
