// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One line of dgfs ls, and the orders in which lines can stand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"
#include "tools/ls/options.h"

namespace dgfs::tools {

struct LsEntry {
  std::string name;  ///< as it stands in the directory; operands as the user wrote them
  reader::Node node;
  /// What a symbolic link leads to, where that matters; empty where it leads nowhere.
  std::optional<reader::Node> target{};
  /// Nothing is shown but the type: of a link that is to be followed and leads nowhere, and of what
  /// has lost its attributes.
  bool unknown = false;
};

/// Sorts as the options say. Entries that come in the order of their names are left alone where
/// nothing else is asked for.
void sort_entries(const LsOptions& options, std::vector<LsEntry>& entries);

}  // namespace dgfs::tools
