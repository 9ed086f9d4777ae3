// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeCleaner: makes of a tree the same tree with less at the ends of its files, so that these can
// be cut. Blocks of runs are copied as they are; a run whose large values have moved is made anew,
// and so are nodes, as they refer to what has moved. Nothing of the old tree changes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "delta/store/disk/used_space.h"
#include "delta/store/tree/node.h"

namespace dgfs::delta {

/// For one thread.
class TreeCleaner {
 public:
  /// What lies behind these offsets is to be moved. A value.
  struct Ends {
    std::uint64_t blocks = UINT64_MAX;
    std::uint64_t values = UINT64_MAX;
  };

  /// @param blocks  that of `source`; what lies behind its end is closed to new blocks; must
  ///                outlive this
  /// @param values  likewise
  /// @param bytes_max  moved and made anew, about: then the rest stays where it is
  TreeCleaner(BlockFile& blocks, ExtentVolume& values, const BlockSource& source, const Ends& ends,
              std::uint64_t bytes_max)
      : blocks_(blocks), values_(values), source_(source), ends_(ends), bytes_max_(bytes_max) {}

  /// The root of the tree that takes the old one's place; `root` itself if nothing could be moved.
  /// New nodes, and runs with values that have moved, are not written yet. What finds no space
  /// before the end stays. Reads all nodes until so much is moved, of runs and values what moves.
  /// @param root  all of its tree has been written
  /// Errors: kIo, kCorrupt, kNoSpace.
  [[nodiscard]] Result<StoredNode> cleaned(const StoredNode& root);
  /// The new tree is not to be: the space that it has taken, to be given back. Needs no memory.
  [[nodiscard]] UsedSpace take_taken() noexcept;

  /// What the new tree has no use for.
  [[nodiscard]] UsedSpace take_used_up() { return std::exchange(used_up_, {}); }
  /// Blocks of runs and values that were copied, what was made anew, and nodes that had to be read.
  [[nodiscard]] std::uint64_t cost_bytes() const {
    return moved_bytes_ + made_bytes_ + read_bytes_;
  }
  /// The rest has stayed where it is.
  [[nodiscard]] bool is_full() const { return moved_bytes_ + made_bytes_ >= bytes_max_; }

 private:
  [[nodiscard]] Result<StoredNode> cleaned(const StoredNode& stored, const Node& node);
  void note_read(const Stored<Node>& stored);
  /// @param height  of the node that has it
  [[nodiscard]] Result<bool> clean_slot(unsigned height, Slot& slot);
  [[nodiscard]] Result<bool> clean_run(StoredRun& run);
  [[nodiscard]] Result<bool> move_values(StoredRun& run);
  [[nodiscard]] Result<bool> move_block(StoredRun& run);
  /// Its copy before the end; none: there is no space.
  [[nodiscard]] static Result<std::optional<Place>> copied(Bytes block, BlockFile& file,
                                                           std::vector<Extent>& taken);
  [[nodiscard]] Result<LargeRef> moved(const LargeRef& value);
  template <class T>
  void note_taken(const T& block) noexcept;

  BlockFile& blocks_;
  ExtentVolume& values_;
  BlockSource source_;
  Ends ends_;
  std::uint64_t bytes_max_;
  std::uint64_t moved_bytes_ = 0;
  std::uint64_t made_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;  ///< of nodes
  UsedSpace used_up_;
  UsedSpace taken_;
  std::vector<StoredNode> nodes_;  ///< made
  std::vector<StoredRun> runs_;    ///< likewise
};

}  // namespace dgfs::delta
