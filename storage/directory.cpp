// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/directory.h"

namespace dgfs::storage {

Result<std::vector<std::string>> Directory::list() const {
  std::vector<std::string> names;
  DGFS_CHECK(each_name([&](std::string_view name) {
    names.emplace_back(name);
    return true;
  }));
  return names;
}

}  // namespace dgfs::storage
