// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One line of dgfs ls, and the sort orders of lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"
#include "tools/ls/options.h"

namespace dgfs::tools {

struct LsEntry {
  std::string name;  ///< as in the directory; operands as the user wrote them
  reader::Node node;
  /// The target of a symbolic link, if it is needed; nullopt if the link leads nowhere.
  std::optional<reader::Node> target{};
  /// Only the type is printed: for a link that should be followed but leads nowhere, and for an
  /// entry that has lost its attributes.
  bool unknown = false;
};

/// Sorts as the options say. Entries that are already in that order are not moved.
void sort_entries(const LsOptions& options, std::vector<LsEntry>& entries);

}  // namespace dgfs::tools
