// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge.h"

#include "builder/build.h"
#include "delta/merge/merge_tree.h"
#include "delta/merge/view_directory.h"

namespace dgfs::merge {

Result<builder::BuildReport> repack(storage::Env& env, const view::View& view,
                                    const builder::BuildOptions& options) {
  const ViewDirectory root(view);
  return builder::build(env, root, options);
}

Result<builder::BuildReport> merge(storage::Env& env, const reader::Image& image,
                                   const delta::DeltaDirectory& delta, const view::View& view,
                                   const MergeOptions& merge_options,
                                   const builder::BuildOptions& options) {
  MergeTreeOptions how;
  how.times = merge_options.times;
  how.keeps_contents = merge_options.keeps_contents;
  how.xattrs = options.xattrs;
  how.wants_digests = options.digest.has_value();
  how.first_volume = static_cast<format::VolumeNumber>(1 + options.volume_paths.size());
  DGFS_TRY(tree, MergeTree::make(image, delta, view, how, builder::StopFlag(options.stop)));
  return builder::build(env, *tree, options);
}

}  // namespace dgfs::merge
