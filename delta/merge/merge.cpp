// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge.h"

#include "builder/build.h"
#include "delta/merge/merge_tree.h"
#include "delta/merge/view_directory.h"

namespace dgfs::merge {
namespace {

Result<builder::BuildReport> build_from(storage::Env& env, const reader::Image& image,
                                        const delta::DeltaDirectory& delta, const view::View& view,
                                        const MergeTreeOptions& how,
                                        const builder::BuildOptions& options) {
  DGFS_TRY(tree, MergeTree::make(image, delta, view, how, builder::StopFlag(options.stop)));
  return builder::build(env, *tree, options);
}

bool is_damage(const Error& error) {
  return error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kIo;
}

}  // namespace

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
  how.first_volume = static_cast<format::VolumeNumber>(1 + options.volume_paths.size());
  auto built = build_from(env, image, delta, view, how, options);
  // Contents that would stay need not be sound. So those of earlier merges stay, too, if they
  // cannot be read; then only a changed file can be the reason.
  if (built || !is_damage(built.error()) || image.volume_origins().empty()) return built;
  how.rules.folds = false;
  return build_from(env, image, delta, view, how, options);
}

}  // namespace dgfs::merge
