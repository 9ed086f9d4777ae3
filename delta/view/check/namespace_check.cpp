// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/namespace_check.h"

#include "delta/view/check/object_check.h"
#include "delta/view/check/record_check.h"

namespace dgfs::view {

Status check_namespace(const GenerationRef& layers,
                       const std::function<void(const Finding&)>& found, StopFlag stop) {
  const Moment moment(layers);
  ObjectPaths paths(moment);
  const RecordCheck::Found with_path = [&](const Finding& finding) {
    Finding told = finding;
    told.path = told.place ? paths.path(*told.place) : paths.path(told.object);
    found(told);
  };
  ObjectCheck objects(moment, paths, with_path, stop);
  RecordCheck records(moment, with_path, stop);
  return records.check_all([&](ObjectNumber object) { return objects.check(object); });
}

}  // namespace dgfs::view
