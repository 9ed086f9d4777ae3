// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/space_reserve.h"

#include <utility>

#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

// Tables that wait; each adds a run to each slot of the root.
constexpr std::uint64_t kTablesMax = 16;
// What of a table brings the filter one prefix takes at least so much.
constexpr std::uint64_t kBytesOfPrefix = 48;

}  // namespace

Status SpaceReserve::promise(std::uint64_t value_bytes, bool removes_only) {
  {
    const std::lock_guard lock(mutex_);
    if (refusal_ && !removes_only) return *refusal_;
  }
  return value_bytes == 0 ? ok() : files_.values.promise(value_bytes);
}

bool SpaceReserve::is_there() const {
  const std::lock_guard lock(mutex_);
  return !refusal_;
}

Result<std::uint64_t> SpaceReserve::bytes_for(const Stored<Node>& root) const {
  DGFS_TRY(unwritten, unwritten_bytes(root, files_.source()));
  const auto& parameters = options_.parameters;
  return unwritten + 2 * options_.table_bytes + parameters.segment_bytes / kGroupShare +
         (kTablesMax * (parameters.fanout + 2) + kSlicesMax) * kBlockAlignmentBytes +
         4 * root.size_bytes() +
         filter_.bytes_to_write(kPatience * options_.table_bytes / kBytesOfPrefix);
}

Result<bool> SpaceReserve::keep(const Stored<Node>& root) {
  DGFS_TRY(bytes, bytes_for(root));
  auto reserved = files_.blocks.reserve(bytes);
  const std::lock_guard lock(mutex_);
  refusal_.reset();
  if (!reserved) refusal_ = std::move(reserved).error();
  return !refusal_;
}

// If it is not there any more, it is what is cleaned for.
bool SpaceReserve::is_left_by(const Stored<Node>& root) {
  if (!is_there()) return true;
  const auto bytes = bytes_for(root);
  return bytes && files_.blocks.reserve(bytes.value());
}

// Of the blocks nobody else asks for space meanwhile; what values give back may be what their
// reserve needs.
Status SpaceReserve::shorten_files(const Stored<Node>& root) {
  files_.values.shorten(options_.spare_bytes);
  DGFS_CHECK(keep(root));
  DGFS_TRY(bytes, bytes_for(root));
  files_.blocks.shorten([bytes = bytes] { return bytes; }, options_.spare_bytes);
  return ok();
}

}  // namespace dgfs::delta
