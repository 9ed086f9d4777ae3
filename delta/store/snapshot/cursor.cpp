// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/cursor.h"

#include <utility>

#include "delta/store/run/run_parts.h"

namespace dgfs::delta {

void Cursor::start() {
  large_ = nullptr;
  values_ahead_.begin();
  is_backward_ = false;
}

void Cursor::enter_slice() {
  walk_.set_run(settled(walk_.slice().run, 0));
  values_ahead_.enter();
  const KeyEnd& entry = walk_.entry();
  at_ = entry ? run().lower_bound(*entry) : run().size();
}

Status Cursor::seek(std::string_view key) {
  start();
  DGFS_CHECK(walk_.seek(key));
  if (!walk_.is_somewhere()) return ok();
  enter_slice();
  return find_forward();
}

Status Cursor::seek_before(const KeyEnd& end) {
  start();
  DGFS_CHECK(walk_.seek_before(end));
  if (!walk_.is_somewhere()) return ok();
  enter_slice();
  return find_backward();
}

Result<std::string_view> Cursor::value() {
  const Point here = point();
  if (here.boxed == nullptr) return here.value;
  large_ = nullptr;
  const ExtentVolume& values = *walk_.source().values;
  values_ahead_.visit(run(), at_, is_backward_, values.file());
  DGFS_TRY(value, value_of(*here.boxed, values, values_ahead_.wait_to_note()));
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

// at_ is the first candidate; it may be behind the last key of the slice.
Status Cursor::find_forward() {
  while (at_ == run().size()) {
    DGFS_CHECK(walk_.next());
    if (!walk_.is_somewhere()) return ok();
    enter_slice();
  }
  if (!is_before(key(), walk_.bounds().end)) walk_.leave();
  return ok();
}

// at_ is behind the key.
Status Cursor::find_backward() {
  while (at_ == 0) {
    DGFS_CHECK(walk_.previous());
    if (!walk_.is_somewhere()) return ok();
    enter_slice();
  }
  --at_;
  if (key() < walk_.bounds().begin) walk_.leave();
  return ok();
}

}  // namespace dgfs::delta
