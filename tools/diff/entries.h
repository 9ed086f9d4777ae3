// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Finds the differences between the two entries of one path.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tools/diff/tree.h"

namespace dgfs::tools {

/// The attributes that are not compared.
struct DiffIgnore {
  bool times = false;
  bool owner = false;
  bool mode = false;  ///< permissions; the type is always compared
  bool xattrs = false;
  bool contents = false;  ///< sizes are still compared
};

struct Difference {
  std::string what;         ///< "mode", "uid", "contents", "xattr user.a"
  std::string first;        ///< as text; empty if there is nothing to print
  std::string second;       ///< likewise
  std::string first_json;   ///< as a JSON value, with the exact bytes of texts; null if absent
  std::string second_json;  ///< likewise
};

/// Compares two entries except for names and links. If the types differ, reports only that.
/// Reads contents if the sizes are equal. Ends early, with the differences found so far, when
/// `stop` is set. Errors: those of reading.
[[nodiscard]] Result<std::vector<Difference>> differences_of(
    DiffTree& first_tree, const DiffEntry& first, DiffTree& second_tree, const DiffEntry& second,
    const std::string& path, const DiffIgnore& ignore, const std::atomic<bool>& stop);

/// "mode 0644 -> 0600", "contents differ from byte 17".
[[nodiscard]] std::string text_of(const Difference& difference);

}  // namespace dgfs::tools
