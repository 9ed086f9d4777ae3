// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/cursor.h"

#include <algorithm>
#include <utility>

#include "delta/store/run/run_parts.h"

namespace dgfs::delta {
namespace {

constexpr std::size_t kPointsAtFirst = 32;
constexpr std::size_t kPointsMax = std::size_t{1} << 16;

}  // namespace

void Cursor::start() {
  slice_.reset();
  large_ = nullptr;
  ahead_.begin();
  values_ahead_.begin();
  is_backward_ = false;
  points_max_ = kPointsAtFirst;
}

// Slices may overlap, so it goes by the key where the last one ended. A stretch that a range
// tombstone covers is passed, and not read: no reason to read more at once, or ahead.
Status Cursor::load(const KeyEnd& key, bool before, const ReadAhead& ahead) {
  slice_.reset();
  DGFS_TRY(slice, slice_at(view_, key, before, points_max_, source_, ahead));
  is_passed_ = slice.run->size() == 0 && slice.run->tombstones().covers(slice.range);
  if (!is_passed_) points_max_ = std::min(2 * points_max_, kPointsMax);
  slice.run = settled(slice.run);
  at_ = key ? slice.run->lower_bound(*key) : slice.run->size();
  slice_ = std::move(slice);
  values_ahead_.enter();
  return ok();
}

Status Cursor::seek(std::string_view key) {
  start();
  if (bounds_.empty()) return ok();
  DGFS_CHECK(load(std::max(std::string(key), bounds_.begin), false, ahead_));
  return find_forward();
}

Status Cursor::seek_before(const KeyEnd& end) {
  start();
  if (bounds_.empty()) return ok();
  DGFS_CHECK(load(ends_before(end, bounds_.end) ? end : bounds_.end, true, ahead_));
  return find_backward();
}

Result<std::string_view> Cursor::value() {
  const Point here = point();
  if (here.boxed == nullptr) return here.value;
  large_ = nullptr;
  values_ahead_.visit(*slice_->run, at_, is_backward_, source_.values->file());
  DGFS_TRY(value, value_of(*here.boxed, *source_.values, values_ahead_.wait_to_note()));
  large_ = std::move(value);
  return std::string_view(*large_);
}

void Cursor::turn(bool backward) {
  large_ = nullptr;
  if (backward != std::exchange(is_backward_, backward)) values_ahead_.begin();
}

Status Cursor::next() {
  turn(false);
  ++at_;
  return find_forward();
}

Status Cursor::previous() {
  turn(true);
  return find_backward();
}

// at_ is where the key would be, which may be behind the slice's last one.
Status Cursor::find_forward() {
  while (at_ == slice_->run->size()) {
    const KeyEnd end = slice_->range.end;
    if (!end || !is_before(*end, bounds_.end)) {
      slice_.reset();
      return ok();
    }
    const bool goes_on = slice_->is_cut_behind;
    if (!goes_on && !is_passed_) ahead_.step(false);
    DGFS_CHECK(load(end, false, goes_on ? ReadAhead() : ahead_));
  }
  if (!is_before(key(), bounds_.end)) slice_.reset();
  return ok();
}

// at_ is behind the key.
Status Cursor::find_backward() {
  while (at_ == 0) {
    const std::string begin = slice_->range.begin;
    if (begin <= bounds_.begin) {
      slice_.reset();
      return ok();
    }
    const bool goes_on = slice_->is_cut_before;
    if (!goes_on && !is_passed_) ahead_.step(true);
    DGFS_CHECK(load(begin, true, goes_on ? ReadAhead() : ahead_));
  }
  --at_;
  if (key() < bounds_.begin) slice_.reset();
  return ok();
}

}  // namespace dgfs::delta
