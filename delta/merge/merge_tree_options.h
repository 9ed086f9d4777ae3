// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>
#include <optional>

#include "builder/kept_tree.h"
#include "format/entry/entry.h"
#include "format/section/state_id.h"

namespace dgfs::merge {

/// Which times a merge keeps besides mtime.
enum class KeptTimes : std::uint8_t {
  kAll,    ///< ctime and atime where they differ from mtime
  kMtime,  ///< none
};

/// How the tree of a merge is read. A value.
struct MergeTreeOptions {
  KeptTimes times = KeptTimes::kAll;
  bool xattrs = true;
  bool wants_digests = false;            ///< the image has them
  bool keeps_contents = true;            ///< false: all contents are packed anew
  builder::KeepRules rules;              ///< of kept contents
  std::optional<format::StateId> state;  ///< that is merged, if it has an id
  /// Number of the first kept volume in the new image: how many volumes it has of its own.
  std::uint64_t first_volume = 1;
};

}  // namespace dgfs::merge
