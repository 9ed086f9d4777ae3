// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeCleaner: makes a tree with the same content and less at the ends of its files, so that the
// ends can be cut off. Blocks of runs are copied unchanged; a run whose large values have moved is
// made anew, and so are nodes, which refer to moved blocks. Nothing of the old tree changes.
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
  /// Everything behind these offsets is to be moved. A value.
  struct Ends {
    std::uint64_t blocks = UINT64_MAX;
    std::uint64_t values = UINT64_MAX;
  };

  /// @param blocks  that of `source`; its end is closed to new blocks; must outlive this
  /// @param values  likewise
  /// @param bytes_max  roughly, of what is moved and made anew; the rest stays where it is
  TreeCleaner(BlockFile& blocks, ExtentVolume& values, const BlockSource& source, const Ends& ends,
              std::uint64_t bytes_max)
      : blocks_(blocks), values_(values), source_(source), ends_(ends), bytes_max_(bytes_max) {}

  /// Returns the root of the new tree; `root` itself if nothing could be moved. New nodes, and runs
  /// with moved values, are not written yet. Data that finds no space before the end stays. Reads
  /// nodes until `bytes_max` is reached, and the runs and values that it moves.
  /// @param root  its whole tree has been written
  /// Errors: kIo, kCorrupt, kNoSpace.
  [[nodiscard]] Result<StoredNode> cleaned(const StoredNode& root);
  /// The new tree is dropped: returns the space that it has taken, to be given back. Needs no
  /// memory.
  [[nodiscard]] UsedSpace take_taken() noexcept;

  /// Space that the new tree does not use.
  [[nodiscard]] UsedSpace take_used_up() { return std::exchange(used_up_, {}); }
  /// Blocks of runs and values that were copied, parts that were made anew, and nodes that had to
  /// be read.
  [[nodiscard]] std::uint64_t cost_bytes() const {
    return moved_bytes_ + made_bytes_ + read_bytes_;
  }
  /// Whether bytes_max was reached; then the rest has stayed.
  [[nodiscard]] bool is_full() const { return moved_bytes_ + made_bytes_ >= bytes_max_; }

 private:
  [[nodiscard]] Result<StoredNode> cleaned(const StoredNode& stored, const Node& node);
  void note_read(const Stored<Node>& stored);
  /// @param height  of the node that has it
  [[nodiscard]] Result<bool> clean_slot(unsigned height, Slot& slot);
  [[nodiscard]] Result<bool> clean_run(StoredRun& run);
  [[nodiscard]] Result<bool> move_values(StoredRun& run);
  [[nodiscard]] Result<bool> move_block(StoredRun& run);
  /// The copy before the end; none: there is no space.
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
  std::vector<StoredNode> nodes_;  ///< that it has made
  std::vector<StoredRun> runs_;    ///< that it has made
};

}  // namespace dgfs::delta
