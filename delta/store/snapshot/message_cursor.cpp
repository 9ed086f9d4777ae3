// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/message_cursor.h"

#include <algorithm>
#include <iterator>

namespace dgfs::delta {

bool MessageCursor::is_point() const { return at_ < run().size() && run().point(at_).key == key_; }

bool MessageCursor::is_begin() const {
  return tombstone_ != run().tombstones().end() && tombstone_->first == key_;
}

std::optional<Message> MessageCursor::message() const {
  if (!is_point()) return std::nullopt;
  return run().point(at_).message();
}

const KeyEnd* MessageCursor::covered_until() const {
  if (is_begin()) return &tombstone_->second;
  if (tombstone_ == run().tombstones().begin()) return nullptr;
  const KeyEnd& end = std::prev(tombstone_)->second;
  return is_before(key_, end) ? &end : nullptr;
}

// Sets at_ and tombstone_ to the first ones at or behind the key at which the slice was entered.
void MessageCursor::enter_slice() {
  const auto& tombstones = run().tombstones();
  const KeyEnd& entry = walk_.entry();
  at_ = entry ? run().lower_bound(*entry) : run().size();
  tombstone_ = entry ? tombstones.lower_bound(*entry) : tombstones.end();
}

Status MessageCursor::seek(std::string_view key) {
  DGFS_CHECK(walk_.seek(key));
  if (!walk_.is_somewhere()) return ok();
  if (!is_before(*walk_.entry(), walk_.bounds().end)) {
    walk_.leave();
    return ok();
  }
  enter_slice();
  key_ = *walk_.entry();
  if (covered_until() != nullptr) return ok();
  return find_forward();
}

Status MessageCursor::seek_before(const KeyEnd& end) {
  DGFS_CHECK(walk_.seek_before(end));
  if (!walk_.is_somewhere()) return ok();
  if (!is_before(walk_.bounds().begin, end)) {
    walk_.leave();
    return ok();
  }
  enter_slice();
  key_ = walk_.entry().value_or("");
  return find_backward();
}

Status MessageCursor::next() {
  const bool was_point = is_point();
  if (is_begin()) ++tombstone_;
  if (was_point) ++at_;
  return find_forward();
}

Status MessageCursor::previous() { return find_backward(); }

// at_ and tombstone_ are the candidates for the next place.
Status MessageCursor::find_forward() {
  while (at_ == run().size() && tombstone_ == run().tombstones().end()) {
    DGFS_CHECK(walk_.next());
    if (!walk_.is_somewhere()) return ok();
    enter_slice();
    key_ = *walk_.entry();  // slices may overlap, so this may be inside a covered stretch
    if (covered_until() != nullptr) return ok();
  }
  const bool has_point = at_ < run().size();
  const bool has_tombstone = tombstone_ != run().tombstones().end();
  std::string_view key = has_point ? run().point(at_).key : tombstone_->first;
  if (has_point && has_tombstone) key = std::min<std::string_view>(key, tombstone_->first);
  if (is_before(key, walk_.bounds().end)) {
    key_ = key;
  } else {
    walk_.leave();
  }
  return ok();
}

// at_ and tombstone_ are right behind the candidates for the next place.
Status MessageCursor::find_backward() {
  while (at_ == 0 && tombstone_ == run().tombstones().begin()) {
    DGFS_CHECK(walk_.previous());
    if (!walk_.is_somewhere()) return ok();
    enter_slice();
  }
  const bool has_point = at_ != 0;
  const bool has_tombstone = tombstone_ != run().tombstones().begin();
  std::string_view key = has_point ? run().point(at_ - 1).key : std::prev(tombstone_)->first;
  if (has_point && has_tombstone) {
    key = std::max<std::string_view>(key, std::prev(tombstone_)->first);
  }
  if (key < walk_.bounds().begin) {
    if (!stands_within(walk_.bounds().begin)) walk_.leave();
    return ok();
  }
  if (has_tombstone && std::prev(tombstone_)->first == key) --tombstone_;
  if (has_point && run().point(at_ - 1).key == key) --at_;
  key_ = key;
  return ok();
}

// If the bounds begin inside a covered stretch, their start is the last place going backward, once.
bool MessageCursor::stands_within(std::string_view begin) {
  if (key_ == begin && covered_until() != nullptr) return false;
  key_ = begin;
  return covered_until() != nullptr;
}

}  // namespace dgfs::delta
