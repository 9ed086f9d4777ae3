// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Merges the messages of a cursor with a lower layer, which is a map.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "delta/store/snapshot/message_cursor.h"
#include "delta/store/snapshot/stack_cursor.h"
#include "tests/delta/store/random_batch.h"

namespace dgfs::test {

inline std::optional<delta::Message> message_at(const delta::MessageCursor& cursor) {
  return cursor.message();
}

inline std::optional<delta::Message> message_at(const delta::StackCursor& cursor) {
  if (!cursor.has_message()) return std::nullopt;
  auto message = cursor.message();
  EXPECT_TRUE(message) << message.error().message();
  return message ? std::optional(std::move(message).value()) : std::nullopt;
}

/// @tparam AnyCursor  a MessageCursor or a StackCursor with the given bounds
template <class AnyCursor>
class OverLower {
 public:
  using Values = std::map<std::string, std::string>;

  OverLower(AnyCursor cursor, delta::KeyRange bounds, const Values& lower)
      : cursor_(std::move(cursor)), bounds_(std::move(bounds)), lower_(lower) {}

  /// The merged values within the bounds.
  [[nodiscard]] Values forward() {
    expect_moved(cursor_.seek(""));
    if (bounds_.empty()) return {};
    add_front(place());
    while (cursor_.is_at_place()) {
      auto behind = cursor_;
      expect_moved(behind.next());
      const auto next = place_of(behind);
      EXPECT_TRUE(!next || *next > cursor_.key()) << cursor_.key();
      add_stretch(next ? next : bounds_.end);
      expect_moved(cursor_.next());
    }
    return std::move(values_);
  }
  /// The same by walking backward.
  [[nodiscard]] Values backward() {
    expect_moved(cursor_.seek_before(std::nullopt));
    if (bounds_.empty()) return {};
    delta::KeyEnd end = bounds_.end;
    while (cursor_.is_at_place()) {
      EXPECT_TRUE(delta::is_before(cursor_.key(), end)) << cursor_.key();
      add_stretch(end);
      end = cursor_.key();
      expect_moved(cursor_.previous());
    }
    add_front(end);
    return std::move(values_);
  }

 private:
  static delta::KeyEnd place_of(const AnyCursor& cursor) {
    if (!cursor.is_at_place()) return std::nullopt;
    return std::string(cursor.key());
  }
  static void expect_moved(const Status& moved) { EXPECT_TRUE(moved) << moved.error().message(); }
  [[nodiscard]] delta::KeyEnd place() const { return place_of(cursor_); }

  void put_over(const std::string& key, const delta::Message& message, const std::string* older) {
    if (message.kind == delta::MessageKind::kPut) {
      values_[key] = *message.value;
    } else if (!message.is_final()) {
      auto& value = values_[key] = older == nullptr ? "" : *older;
      message.patch.apply_to(value);
    }
  }
  // Adds one place, and the lower layer's keys after it and before `end`, the next place.
  void add_stretch(const delta::KeyEnd& end) {
    const std::string place(cursor_.key());
    const auto* until = cursor_.covered_until();
    const auto below = lower_.find(place);
    const auto* older = below == lower_.end() || until != nullptr ? nullptr : &below->second;
    const auto message = message_at(cursor_);
    ASSERT_TRUE(message || until != nullptr)
        << place << " has neither a message nor a covered range";
    if (message) put_over(place, *message, older);
    for (auto at = lower_.upper_bound(place);
         at != lower_.end() && delta::is_before(at->first, end); ++at) {
      if (until == nullptr || !delta::is_before(at->first, *until)) values_.insert(*at);
    }
  }
  // Adds the lower layer's keys within the bounds and before the first place.
  void add_front(const delta::KeyEnd& first) {
    const auto& end = delta::ends_before(first, bounds_.end) ? first : bounds_.end;
    for (auto at = lower_.lower_bound(bounds_.begin);
         at != lower_.end() && delta::is_before(at->first, end); ++at) {
      values_.insert(*at);
    }
  }

  AnyCursor cursor_;
  delta::KeyRange bounds_;
  const Values& lower_;
  Values values_;
};

}  // namespace dgfs::test
