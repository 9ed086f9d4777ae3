// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DiffLinks: finds which names of one tree belong to the same object.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "tools/diff/tree.h"

namespace dgfs::tools {

/// Holds the first path of each multiply linked object until all its names were met; if some names
/// lie outside of the comparison, until the end.
class DiffLinks {
 public:
  /// The path under which the object of `path` was first met; `path` itself if it is new.
  [[nodiscard]] std::string first_path(const DiffEntry& entry, const std::string& path);

 private:
  struct Object {
    std::string path;
    std::uint64_t unseen = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Object> objects_;
};

}  // namespace dgfs::tools
