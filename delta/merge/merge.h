// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes a new image of an image and the changes in its delta.
#pragma once

#include <optional>

#include "base/result.h"
#include "builder/options.h"
#include "builder/report.h"
#include "delta/merge/merge_tree_options.h"
#include "delta/view/view.h"
#include "format/section/state_id.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::merge {

/// Packs all that a view shows into a new image, and gives all objects new numbers: the image is
/// the one that builder::build() makes of the same tree, byte for byte. Reads the view only, which
/// must not change meanwhile. Objects without a name are left out.
/// @param options  of the build; its `source` is not used
/// Errors: those of builder::build(), and of reading the view; an error about an object names its
/// path in the view. After an error, nothing at the output paths has changed.
[[nodiscard]] Result<builder::BuildReport> repack(storage::Env& env, const view::View& view,
                                                  const builder::BuildOptions& options);

/// What a merge keeps beside names and attributes. A value.
struct MergeOptions {
  KeptTimes times = KeptTimes::kAll;
  /// Contents that the delta has not changed stay in the volumes of the image, which the new image
  /// needs then. false: all contents are packed anew.
  bool keeps_contents = true;
  /// Those in volumes of whose bytes more than so many of a hundred are dead are packed anew.
  std::optional<unsigned> dead_percent;
  std::optional<format::StateId> state;  ///< that is merged, if it has an id
  /// As of MergeTreeOptions; for merges into a base.
  std::optional<format::InodeNumber> next_inode = {};
  std::vector<view::Orphan> nameless = {};
  std::function<void(std::uint64_t)> before_read = {};
};

/// Packs all that a view shows into a new image, whose objects keep their numbers. The same
/// arguments give the same bytes, on any number of threads. Contents in volumes of earlier merges
/// are packed anew, too, if they are not larger than all that is packed anyway, or are the smallest
/// of more than a few, and can be read.
/// @param view     of image and delta
/// @param options  of the build; its `source` is not used
/// Errors: as of repack(); those of MergeTree::make().
[[nodiscard]] Result<builder::BuildReport> merge(storage::Env& env, const reader::Image& image,
                                                 const delta::DeltaDirectory& delta,
                                                 const view::View& view,
                                                 const MergeOptions& merge_options,
                                                 const builder::BuildOptions& options);

}  // namespace dgfs::merge
