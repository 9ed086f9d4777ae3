// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/slice_walk.h"

#include <algorithm>
#include <string>

namespace dgfs::delta {
namespace {

constexpr std::size_t kPointsAtFirst = 32;
constexpr std::size_t kPointsMax = std::size_t{1} << 16;

}  // namespace

void SliceWalk::start() {
  slice_.reset();
  ahead_.begin();
  points_max_ = kPointsAtFirst;
}

// A stretch that a range tombstone covers is skipped unread, so slices do not grow and nothing is
// read ahead because of it.
Status SliceWalk::enter(KeyEnd key, bool before, const ReadAhead& ahead) {
  slice_.reset();
  DGFS_TRY(slice, slice_at(view_, key, before, points_max_, source_, ahead));
  is_passed_ = slice.run->size() == 0 && slice.run->tombstones().covers(slice.range);
  if (!is_passed_) points_max_ = std::min(2 * points_max_, kPointsMax);
  slice_ = std::move(slice);
  entry_ = std::move(key);
  return ok();
}

Status SliceWalk::seek(std::string_view key) {
  start();
  if (bounds_.empty()) return ok();
  return enter(std::max(std::string(key), bounds_.begin), false, ahead_);
}

Status SliceWalk::seek_before(const KeyEnd& end) {
  start();
  if (bounds_.empty()) return ok();
  return enter(ends_before(end, bounds_.end) ? end : bounds_.end, true, ahead_);
}

Status SliceWalk::next() {
  const KeyEnd end = slice_->range.end;
  if (!end || !is_before(*end, bounds_.end)) {
    slice_.reset();
    return ok();
  }
  const bool goes_on = slice_->is_cut_behind;
  if (!goes_on && !is_passed_) ahead_.step(false);
  return enter(end, false, goes_on ? ReadAhead() : ahead_);
}

Status SliceWalk::previous() {
  const std::string begin = slice_->range.begin;
  if (begin <= bounds_.begin) {
    slice_.reset();
    return ok();
  }
  const bool goes_on = slice_->is_cut_before;
  if (!goes_on && !is_passed_) ahead_.step(true);
  return enter(begin, true, goes_on ? ReadAhead() : ahead_);
}

}  // namespace dgfs::delta
