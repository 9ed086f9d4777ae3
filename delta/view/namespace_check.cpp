// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/namespace_check.h"

#include "delta/view/object_check.h"
#include "delta/view/record_check.h"

namespace dgfs::view {

Status check_namespace(const Layers& layers, const std::function<void(const Finding&)>& found) {
  const Moment moment(layers);
  ObjectCheck objects(moment, found);
  RecordCheck records(moment, found);
  return records.check_all([&](ObjectNumber object) { return objects.check(object); });
}

}  // namespace dgfs::view
