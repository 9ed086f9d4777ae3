// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A link block: the names of some multiply linked objects, in order of their inode numbers. A name
// is an ordinal of the tree; an object whose names need more than a block has several blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/limits.h"

namespace dgfs::format {

/// What is known of a block before it is read. A value.
struct LinkBlockBounds {
  InodeNumber first_inode = 0;  ///< of the first object in it
  InodeNumber inode_end = 0;    ///< above all of its objects, and above first_inode
  Ordinal ordinal_end = 0;      ///< above all names of the tree
};

/// Fills one block after the other. For one thread.
class LinkBlockFiller {
 public:
  /// Gaps of an object's names that are no longer than this fit into an empty block.
  static constexpr std::size_t kGapBytesMax = kLinkBlockBytesMax - 24;

  [[nodiscard]] bool empty() const { return body_.empty(); }
  /// False where the names do not fit into what is left of the block; an empty one has room.
  /// @param inode  above those in the block
  /// @param names  rising, at least one; their gaps of kGapBytesMax at most
  [[nodiscard]] bool add(InodeNumber inode, std::span<const Ordinal> names);
  [[nodiscard]] InodeNumber first_inode() const { return first_inode_; }
  /// The body; empties this.
  [[nodiscard]] Buffer take();

 private:
  Buffer body_;
  InodeNumber first_inode_ = 0;
  InodeNumber last_inode_ = 0;
};

/// Told of the names of one object that stand in a block, which are rising.
using VisitLinkNames = std::function<void(InodeNumber inode, std::span<const Ordinal> names)>;

/// Checks the body of a block (F-342 to F-344), and gives its objects in order. What was told
/// before an error is not to be used.
/// Errors: kCorrupt, with the offset in the body.
[[nodiscard]] Status visit_link_block(Bytes body, const LinkBlockBounds& bounds,
                                      const VisitLinkNames& visit);

}  // namespace dgfs::format
