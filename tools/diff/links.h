// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DiffLinks: which names of one tree are of one object, told by the first of them.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "tools/diff/tree.h"

namespace dgfs::tools {

/// Memory: the first path of each multiply linked object of which names are still to come; of one
/// that has names outside of what is compared, until the end.
class DiffLinks {
 public:
  /// The path under which the object of `path` was met first; `path` itself if it is met now.
  [[nodiscard]] std::string first_path(const DiffEntry& entry, const std::string& path);

 private:
  struct Object {
    std::string path;
    std::uint64_t unseen = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Object> objects_;
};

}  // namespace dgfs::tools
