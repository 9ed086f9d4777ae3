// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What differs between the two entries of one path.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tools/diff/tree.h"

namespace dgfs::tools {

/// What is not compared.
struct DiffIgnore {
  bool times = false;
  bool owner = false;
  bool mode = false;  ///< permissions; the type counts always
  bool xattrs = false;
  bool contents = false;  ///< sizes count all the same
};

struct Difference {
  std::string what;         ///< "mode", "uid", "contents", "xattr user.a"
  std::string first;        ///< as text; empty where there is nothing to say
  std::string second;       ///< likewise
  std::string first_json;   ///< as a JSON value, the bytes of texts as they are; null where absent
  std::string second_json;  ///< likewise
};

/// Compares two entries in all but names and links. Where the types differ, only that is told.
/// Contents are read where the sizes are the same; ends early, with what was found, when `stop` is
/// set. Errors: those of reading.
[[nodiscard]] Result<std::vector<Difference>> differences_of(
    DiffTree& first_tree, const DiffEntry& first, DiffTree& second_tree, const DiffEntry& second,
    const std::string& path, const DiffIgnore& ignore, const std::atomic<bool>& stop);

/// "mode 0644 -> 0600", "contents differ from byte 17".
[[nodiscard]] std::string text_of(const Difference& difference);

}  // namespace dgfs::tools
