// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeView: the content of a store at one moment: a tree, and the tables over it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/store/run/immutable_memtable.h"
#include "delta/store/snapshot/read_ahead.h"
#include "delta/store/tree/node.h"
#include "delta/store/tree/retired_blocks.h"

namespace dgfs::delta {

/// A value. Thread-safe. Keeps everything that it refers to.
struct TreeView {
  StoredNode root;
  std::vector<MemtableRef> tables;  ///< over the tree, the oldest first
  TreeHold hold;                    ///< keeps the tree's blocks
};

/// The messages of all levels for a key, with `newer` over them. A patch if no level is final.
/// Errors: those of Stored::load.
[[nodiscard]] Result<Message> find(const TreeView& view, std::string_view key, Message newer,
                                   const BlockSource& source);

/// A slice of the key space with everything known of its keys. A value.
struct KeySlice {
  KeyRange range;
  RunRef run;                  ///< of its keys, over what lower layers may have
  bool is_cut_before = false;  ///< its blocks have more keys right before it
  bool is_cut_behind = false;
};

/// The slice that has `key`: usually the range of one basement. If a range tombstone covers more,
/// the slice is all of the range tombstone up to the first newer message, and nothing below is
/// read.
/// @param key         nullopt: the end of all keys, with `before`
/// @param before      the slice that has the keys right before `key` instead
/// @param points_max  roughly, of each table and run; if more of one would have to be merged, the
///                    slice is cut
/// @param ahead       gets the nodes on the way
/// Errors: those of Stored::load.
[[nodiscard]] Result<KeySlice> slice_at(const TreeView& view, const KeyEnd& key, bool before,
                                        std::size_t points_max, const BlockSource& source,
                                        const ReadAhead& ahead);

}  // namespace dgfs::delta
