// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A link block: the names of some multiply linked objects, in order of inode numbers. A name is
// stored as its ordinal in the tree. An object with more names than fit into a block has several
// blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/limits.h"

namespace dgfs::format {

/// Facts about a block that are known before it is read. A value.
struct LinkBlockBounds {
  InodeNumber first_inode = 0;  ///< inode number of the first object in it
  InodeNumber inode_end = 0;    ///< above all its objects, and above first_inode
  Ordinal ordinal_end = 0;      ///< above all names of the tree
};

/// Fills one block after another. For one thread.
class LinkBlockFiller {
 public:
  /// An object whose gaps between names take at most this many bytes fits into an empty block.
  static constexpr std::size_t kGapBytesMax = kLinkBlockBytesMax - 24;

  [[nodiscard]] bool empty() const { return body_.empty(); }
  /// Returns false if the names do not fit into the rest of the block; an empty one has room.
  /// @param inode  above those in the block
  /// @param names  rising, at least one; their gaps take at most kGapBytesMax
  [[nodiscard]] bool add(InodeNumber inode, std::span<const Ordinal> names);
  [[nodiscard]] InodeNumber first_inode() const { return first_inode_; }
  /// Returns the body and empties this object.
  [[nodiscard]] Buffer take();

 private:
  Buffer body_;
  InodeNumber first_inode_ = 0;
  InodeNumber last_inode_ = 0;
};

/// Receives the names of one object that a block holds, in rising order.
using VisitLinkNames = std::function<void(InodeNumber inode, std::span<const Ordinal> names)>;

/// Checks the body of a block (F-342 to F-344), and passes its objects to `visit` in order. After
/// an error, the caller must not use what was passed before. Errors: kCorrupt, with the offset in
/// the body.
[[nodiscard]] Status visit_link_block(Bytes body, const LinkBlockBounds& bounds,
                                      const VisitLinkNames& visit);

}  // namespace dgfs::format
