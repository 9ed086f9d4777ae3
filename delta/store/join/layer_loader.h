// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LayerLoader: makes a sealed store from messages that come in key order. It builds the tree from
// below: each basement and each node is written once, one behind the other. There is no log, no
// table and no checkpoint, since nobody sees the store before it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/store/disk/block_codec.h"
#include "delta/store/filter/filter_blocks.h"
#include "delta/store/filter/prefix_filter.h"
#include "delta/store/log/superblock.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/space_blocks.h"
#include "delta/store/tree/tree_blocks.h"
#include "delta/store/tree_files.h"
#include "storage/env.h"

namespace dgfs::delta {

/// The facts of a store that a loader makes. A value.
struct LoadRequest {
  StoreParameters parameters;      ///< with the born object
  std::uint64_t sequence = 0;      ///< of the last batch in its messages
  SealedMark mark;                 ///< its state, and the one below
  std::uint64_t prefixes_max = 0;  ///< as many objects with older keys come, or fewer
  int level = 1;                   ///< as of StoreOptions
};

/// What a loader has made. A value.
struct LoadedStore {
  StoreUuid uuid{};
  std::uint64_t block_bytes = 0;  ///< written: nodes, runs, the filter
  std::uint64_t value_bytes = 0;  ///< written: large values
};

/// For one thread. Memory: one basement and the places of its large values, the nodes above it, and
/// the filter (two bytes for each object with older keys).
class LayerLoader {
 public:
  /// Makes the directory and its empty files; replaces what an interrupted loader has left there.
  /// Errors: kBusy (another process makes a store there), kIo, kNoSpace.
  [[nodiscard]] static Result<std::unique_ptr<LayerLoader>> begin(storage::Env& env,
                                                                  const std::string& directory,
                                                                  const LoadRequest& request);
  LayerLoader(const LayerLoader&) = delete;
  LayerLoader& operator=(const LayerLoader&) = delete;

  // Keys rise strictly, and no range begins before the last key. A range tombstone is older than
  // all points, and none may cover the key of a patch or a removal. No key may have an erasure; no
  // young key may have a removal or a patch. Errors: kIo, kNoSpace, kLimit (out of memory for the
  // compressor). After an error or an exception only destruction is possible.

  /// @param message  its large values are in the tree already, or will be bound by the caller
  ///                 before bind() returns
  [[nodiscard]] Status add(std::string_view key, Message message);
  /// @param point  not boxed
  [[nodiscard]] Status add(const Point& point);
  /// Deletes all older than this store in a range. Keys of a range that are young do not matter.
  [[nodiscard]] Status cover(const KeyRange& range);

  /// Takes the large values of the messages.
  [[nodiscard]] ExtentVolume& values() { return files_->values; }
  [[nodiscard]] LargeBounds large_bounds() const { return request_.parameters.large_bounds(); }
  /// Called before a basement is written: binds the large values of all messages so far.
  void set_binding(std::function<Status()> bind) { bind_ = std::move(bind); }

  /// Writes the rest, makes everything durable, and gives the store its name. Call it once. Errors:
  /// as above. After an error there is no store in the directory.
  [[nodiscard]] Result<LoadedStore> finish();

 private:
  LayerLoader(storage::Env& env, std::string directory, const LoadRequest& request,
              std::unique_ptr<storage::File> making, std::unique_ptr<storage::File> blocks,
              std::unique_ptr<storage::File> extents);

  [[nodiscard]] Status make_room_for(std::string_view key);
  [[nodiscard]] std::string cut_before(std::string_view key) const;
  [[nodiscard]] Status write_basement(const KeyEnd& end);
  [[nodiscard]] Status add_slot(std::size_t height, Slot slot);
  [[nodiscard]] Status write_node(std::size_t height);
  [[nodiscard]] Result<Place> write_root();
  [[nodiscard]] Status publish(Superblock superblock);

  storage::Env& env_;
  const std::string directory_;
  const LoadRequest request_;
  std::unique_ptr<storage::File> making_;  ///< locked
  storage::File& block_file_;
  storage::File& extent_file_;
  std::unique_ptr<TreeFiles> files_;  ///< null once the store is whole
  BlockPacker packer_;
  TreeWriter writer_;
  PrefixFilter filter_;
  FilterBlocks filter_blocks_;
  SpaceBlocks space_blocks_;
  std::function<Status()> bind_;

  std::string low_;                        ///< of the basement that is being filled
  RunBuilder points_;                      ///< of it
  RangeTombstones tombstones_;             ///< of it; the last one may go on behind it
  std::vector<std::vector<Slot>> levels_;  ///< slots that wait for their node, by height
};

}  // namespace dgfs::delta
