// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MergeTree: an image and the stores of a delta over it as the tree of a build that keeps numbers
// and contents.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "builder/kept_tree.h"
#include "builder/stop.h"
#include "delta/merge/merge_tree_options.h"
#include "delta/merge/tree_scan.h"
#include "delta/merge/view_directory.h"
#include "delta/view/moment.h"
#include "delta/view/orphans.h"
#include "delta/view/view.h"
#include "reader/image.h"

namespace dgfs::merge {

/// For one build. The image, the delta and the view must outlive it and must not change.
class MergeTree final : public builder::KeptTree {
 public:
  /// Errors: kNotFound (volume 0 is missing), those of reading from it; kLimit (too many volumes).
  [[nodiscard]] static Result<std::unique_ptr<MergeTree>> make(const reader::Image& image,
                                                               const delta::DeltaDirectory& delta,
                                                               const view::View& view,
                                                               const MergeTreeOptions& options,
                                                               builder::StopFlag stop);

  [[nodiscard]] Result<builder::ScanTotals> scan(const builder::ScanSinks& sinks,
                                                 builder::KeptExtents& kept) const override;
  [[nodiscard]] const storage::Directory& root() const override { return root_; }
  [[nodiscard]] const std::vector<builder::KeptVolume>& volumes() const override {
    return volumes_;
  }
  [[nodiscard]] builder::KeepRules rules() const override { return options_.rules; }
  [[nodiscard]] std::optional<format::StateId> state() const override { return options_.state; }
  [[nodiscard]] const format::ContentDictionaries& dictionaries() const override {
    return image_.content_dictionaries();
  }
  [[nodiscard]] format::InodeNumber next_inode() const override { return next_inode_; }
  /// Whether the content of some file could not be read.
  [[nodiscard]] bool has_failed_reads() const { return reads_.has_failed; }

 private:
  MergeTree(const reader::Image& image, const delta::DeltaDirectory& delta, const view::View& view,
            const MergeTreeOptions& options, builder::StopFlag stop);
  [[nodiscard]] Status find_volumes();

  const reader::Image& image_;
  view::Orphans orphans_;
  const view::Moment moment_;
  ViewReads reads_;
  const ViewDirectory root_;
  const MergeTreeOptions options_;
  const builder::StopFlag stop_;
  std::vector<builder::KeptVolume> volumes_;
  KeptNumbers numbers_;
  format::InodeNumber next_inode_ = 0;
};

}  // namespace dgfs::merge
