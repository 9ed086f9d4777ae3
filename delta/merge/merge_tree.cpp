// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "delta/view/reserved_numbers.h"
#include "storage/env.h"

namespace dgfs::merge {

MergeTree::MergeTree(const reader::Image& image, const delta::DeltaDirectory& delta,
                     const view::View& view, const MergeTreeOptions& options,
                     builder::StopFlag stop)
    : image_(image),
      moment_(view::generation_of(image, delta, &orphans_)),
      root_(view, &reads_),
      options_(options),
      stop_(stop) {
  reads_.before = options.before_read;
  for (const view::Orphan& orphan : options.nameless) {
    orphans_.add(orphan.object, orphan.since);
  }
}

Result<std::unique_ptr<MergeTree>> MergeTree::make(const reader::Image& image,
                                                   const delta::DeltaDirectory& delta,
                                                   const view::View& view,
                                                   const MergeTreeOptions& options,
                                                   builder::StopFlag stop) {
  std::unique_ptr<MergeTree> tree(new MergeTree(image, delta, view, options, stop));
  DGFS_CHECK(tree->find_volumes());
  if (options.next_inode) {
    tree->next_inode_ = *options.next_inode;
    return tree;
  }
  DGFS_TRY(reserved, view::end_of_reserved(tree->moment_.stores()));
  tree->next_inode_ = std::max(reserved, image.superblock().next_inode);
  // Layers in the base have reserved numbers for the stores over it.
  if (const auto& base = delta.manifest().base) {
    tree->next_inode_ = std::max(tree->next_inode_, base->end_of_numbers);
  }
  return tree;
}

Status MergeTree::find_volumes() {
  if (!options_.keeps_contents) return ok();
  std::uint64_t number = options_.first_volume;
  for (const format::VolumeRecord& record : image_.volumes()) {
    if (number > std::numeric_limits<format::VolumeNumber>::max()) {
      return Error(ErrorKind::kLimit, 7603, "the new image would need more than 65536 volumes");
    }
    DGFS_TRY(origin, image_.origin_of(record.number));
    builder::KeptVolume volume{record, origin};
    volume.record.number = static_cast<format::VolumeNumber>(number++);
    volume.origin.number = volume.record.number;
    const auto path = image_.volume_path(record.number);
    volume.is_there = path.has_value();
    if (path) volume.record.hint = storage::base_name(path.value());
    numbers_.emplace(record.number, volume.record.number);
    volumes_.push_back(std::move(volume));
  }
  return ok();
}

Result<builder::ScanTotals> MergeTree::scan(const builder::ScanSinks& sinks,
                                            builder::KeptExtents& kept) const {
  return TreeScan(moment_, options_, numbers_, stop_, sinks, kept).run();
}

}  // namespace dgfs::merge
