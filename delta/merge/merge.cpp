// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge.h"

#include <new>

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
  how.rules = {merge_options.dead_percent, true};
  how.state = merge_options.state;
  how.times = merge_options.times;
  how.keeps_contents = merge_options.keeps_contents;
  how.xattrs = options.xattrs;
  how.wants_digests = options.digest.has_value();
  how.first_volume = 1 + options.volume_paths.size();
  how.next_inode = merge_options.next_inode;
  how.nameless = merge_options.nameless;
  how.before_read = merge_options.before_read;
  try {
    const builder::StopFlag stop(options.stop);
    DGFS_TRY(tree, MergeTree::make(image, delta, view, how, stop));
    auto built = builder::build(env, *tree, options);
    // Contents that would stay need not be sound. So those of earlier merges stay, too, if they
    // cannot be read; then only a changed file can be the reason.
    const bool may_fold = how.keeps_contents && !image.volume_origins().empty();
    if (built || !may_fold || !tree->has_failed_reads()) return built;
    how.rules.folds = false;
    DGFS_TRY(without_folding, MergeTree::make(image, delta, view, how, stop));
    return builder::build(env, *without_folding, options);
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7604, "no memory for a merge");
  }
}

}  // namespace dgfs::merge
