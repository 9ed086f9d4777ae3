// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeView: what a store held at one moment: a tree, and over it the tables that had not got into
// it.
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

/// Thread-safe; a value, which keeps all that it refers to.
struct TreeView {
  StoredNode root;
  std::vector<MemtableRef> tables;  ///< over the tree, the oldest first
  TreeHold hold;                    ///< keeps the tree's blocks
};

/// What all levels say of a key, `newer` over them. A patch if no level is final.
/// Errors: those of Stored::load.
[[nodiscard]] Result<Message> find(const TreeView& view, std::string_view key, Message newer,
                                   const BlockSource& source);

/// A slice of the key space with all that is known of its keys. A value.
struct KeySlice {
  KeyRange range;
  RunRef run;                  ///< of its keys; over what lower layers may have
  bool is_cut_before = false;  ///< the blocks that it is of have more, right before it
  bool is_cut_behind = false;
};

/// The slice that has `key`: as a rule what one basement has. Where a range delete covers more,
/// all of that which nothing newer interrupts, and nothing below is read.
/// @param key         nullopt: the end of all keys, with `before`
/// @param before      the slice that has the keys right before `key` instead
/// @param points_max  about; where runs would have to be merged that have more there, it is cut
/// @param ahead       is shown the way
/// Errors: those of Stored::load.
[[nodiscard]] Result<KeySlice> slice_at(const TreeView& view, const KeyEnd& key, bool before,
                                        std::size_t points_max, const BlockSource& source,
                                        const ReadAhead& ahead);

}  // namespace dgfs::delta
