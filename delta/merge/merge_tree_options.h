// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "builder/kept_tree.h"
#include "delta/view/object.h"
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
  /// Above the numbers of all objects; none: the end of the numbers that the delta has reserved.
  std::optional<format::InodeNumber> next_inode;
  std::function<void(std::uint64_t)> before_read;  ///< ViewReads::before
  /// Objects without a name that programs still use (View::orphans()): they are kept, too, unless
  /// they have a name here.
  std::vector<view::Orphan> nameless;
};

}  // namespace dgfs::merge
