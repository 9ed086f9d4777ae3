// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a merge into the base of a delta is to do, whether or not the delta is mounted.
#pragma once

#include <optional>
#include <string>

#include "delta/merge/repack_rules.h"

namespace dgfs::merge {

/// A value.
struct MergeRequest {
  std::optional<std::string> to;  ///< the state that ends it; none: as far as possible
  RepackRules repack;
  bool dry_run = false;
  std::string image_path;  ///< of the delta's own image, for the manifest; empty: unknown
};

}  // namespace dgfs::merge
