// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/stack_cursor.h"

#include <algorithm>

#include "delta/store/message/overlay.h"
#include "delta/store/run/object_key.h"

namespace dgfs::delta {

StackCursor::StackCursor(std::vector<Layer> layers) {
  heads_.reserve(layers.size());
  for (Layer& layer : layers) heads_.push_back({std::move(layer), std::nullopt});
}

Status StackCursor::seek(std::string_view key) {
  is_somewhere_ = is_backward_ = false;
  for (Head& head : heads_) {
    head.passed_cover.reset();
    DGFS_CHECK(head.layer.cursor.seek(key));
  }
  return find(false);
}

Status StackCursor::seek_before(const KeyEnd& end) {
  is_somewhere_ = false;
  is_backward_ = true;
  for (Head& head : heads_) {
    DGFS_CHECK(head.layer.cursor.seek_before(end));
  }
  return find(true);
}

Status StackCursor::next() {
  DGFS_CHECK(turn(false));
  DGFS_CHECK(move_all(false));
  return find(false);
}

Status StackCursor::previous() {
  DGFS_CHECK(turn(true));
  DGFS_CHECK(move_all(true));
  return find(true);
}

// Going forward, each store must be at its first place from the key on; going backward, at its last
// place up to it.
Status StackCursor::turn(bool backward) {
  is_somewhere_ = false;
  if (backward == std::exchange(is_backward_, backward)) return ok();
  for (Head& head : heads_) {
    head.passed_cover.reset();
    DGFS_CHECK(backward ? head.layer.cursor.seek_before(key_ + '\0')
                        : head.layer.cursor.seek(key_));
  }
  return ok();
}

// Moves the stores that are at the key.
Status StackCursor::move_all(bool backward) {
  for (Head& head : heads_) {
    if (!head.is_at(key_)) continue;
    if (backward) {
      DGFS_CHECK(head.layer.cursor.previous());
      continue;
    }
    head.passed_cover.reset();
    if (const KeyEnd* cover = head.layer.cursor.covered_until()) head.passed_cover.emplace(*cover);
    DGFS_CHECK(head.layer.cursor.next());
  }
  return ok();
}

Status StackCursor::find(bool backward) {
  while (auto key = nearest(backward)) {
    key_ = *std::move(key);
    const auto end = compose(key_);
    if (is_place(end)) {
      is_somewhere_ = true;
      return ok();
    }
    DGFS_CHECK(pass(end, backward));
  }
  return ok();
}

// None: no store has a place left.
std::optional<std::string> StackCursor::nearest(bool backward) const {
  const Head* first = nullptr;
  for (const Head& head : heads_) {
    if (!head.layer.cursor.is_at_place()) continue;
    const auto is_nearer = [&] {
      const auto key = head.layer.cursor.key();
      return backward ? first->layer.cursor.key() < key : key < first->layer.cursor.key();
    };
    if (first == nullptr || is_nearer()) first = &head;
  }
  return first == nullptr ? std::nullopt : std::optional(std::string(first->layer.cursor.key()));
}

// Null: the store does not cover the key. Going backward, a store is at its last place up to the
// key; going forward, it may have passed that place.
const KeyEnd* StackCursor::cover_of(const Head& head, std::string_view key) const {
  const bool is_told_here = is_backward_ ? head.layer.cursor.is_at_place() : head.is_at(key);
  const KeyEnd* end = nullptr;
  if (is_told_here) {
    end = head.layer.cursor.covered_until();
  } else if (head.passed_cover && !is_backward_) {
    end = &*head.passed_cover;
  }
  return end != nullptr && is_before(key, *end) ? end : nullptr;
}

// Collects the messages of the stores, down to the store below which nothing is left. Returns its
// number, or the number of stores.
std::size_t StackCursor::compose(std::string_view key) {
  said_.clear();
  is_over_nothing_ = false;
  cover_.reset();
  std::size_t end = heads_.size();
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const Head& head = heads_[i];
    if (const KeyEnd* cover = cover_of(head, key)) {
      if (!cover_ || ends_before(*cover_, *cover)) cover_.emplace(*cover);
      end = std::min(end, i);
    }
    if (end < i || (!said_.empty() && (is_over_nothing_ || said_.back().message.is_final()))) {
      continue;
    }
    if (head.is_at(key)) {
      if (auto message = head.layer.cursor.message()) {
        said_.push_back({*std::move(message), head.layer.values});
      }
    }
    if (end == i || is_young(key, head.layer.born_object)) {
      end = std::min(end, i);
      is_over_nothing_ = !said_.empty();
    }
  }
  return end;
}

// If only an older store begins to cover keys here, that is a place if it covers keys beyond those
// that a newer store covers, or beyond young keys.
bool StackCursor::is_place(std::size_t end) const {
  if (has_message() || end == heads_.size() || heads_[end].is_at(key_)) return true;
  const KeyEnd* newer = cover_of(heads_[end], key_);
  return std::ranges::any_of(heads_, [&](const Head& head) {
    const KeyEnd* own = head.is_at(key_) ? cover_of(head, key_) : nullptr;
    return own != nullptr && (newer == nullptr || ends_before(*newer, *own));
  });
}

// Stores below one that covers the key skip all that it covers.
Status StackCursor::pass(std::size_t newest, bool backward) {
  const KeyEnd* cover = cover_of(heads_[newest], key_);
  const std::string begin(heads_[newest].layer.cursor.is_at_place()
                              ? heads_[newest].layer.cursor.key()
                              : std::string_view());
  for (std::size_t i = newest + 1; i < heads_.size(); ++i) {
    Head& head = heads_[i];
    if (!head.is_at(key_)) continue;
    MessageCursor& cursor = head.layer.cursor;
    if (cover == nullptr) {  // an older store has a key of an object that was born above it
      head.passed_cover.reset();
      DGFS_CHECK(backward ? cursor.previous() : cursor.next());
    } else if (backward) {
      DGFS_CHECK(cursor.seek_before(begin + '\0'));
    } else if (head.passed_cover.reset(); *cover) {
      DGFS_CHECK(cursor.seek(**cover));
    } else {
      cursor.leave();
    }
  }
  return ok();
}

// The same result as that of Overlay.
MessageKind StackCursor::kind() const {
  bool is_patched = false;
  for (const Said& said : said_) {
    if (said.message.is_final()) return is_patched ? MessageKind::kPut : said.message.kind;
    is_patched = is_patched || !said.message.patch.empty();
  }
  if (!is_over_nothing_) return MessageKind::kPatch;
  return is_patched ? MessageKind::kPut : MessageKind::kDelete;
}

Result<Message> StackCursor::message() const {
  std::optional<Overlay> all;
  for (const Said& said : said_) {
    Message message = said.message;
    if (!is_small(message)) {
      DGFS_TRY(small, without_large(std::move(message), *said.values));
      message = std::move(small);
    }
    if (all) {
      all->add_older(std::move(message));
    } else {
      all.emplace(std::move(message));
    }
  }
  if (is_over_nothing_) all->add_nothing_older();
  return all->take();
}

}  // namespace dgfs::delta
