// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/name_rules.h"

#include "format/limits.h"

namespace dgfs::view {

Status check_component(std::string_view name) {
  if (name.size() > format::kNameBytesMax) {
    return Error(ErrorKind::kNameTooLong, 7343, "a name is longer than 255 bytes");
  }
  if (name.empty() || name.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos) {
    return Error(ErrorKind::kInvalidArgument, 7344, "not a name");
  }
  return ok();
}

}  // namespace dgfs::view
