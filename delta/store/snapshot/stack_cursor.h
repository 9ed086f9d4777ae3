// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StackCursor: goes through what the stores of a stack say together, in order, either way, over
// whatever lies below the oldest of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "delta/store/snapshot/message_cursor.h"

namespace dgfs::delta {

/// Sees the stores as they were when it was made. For one thread. Its places are as of
/// MessageCursor. What a newer store covers is not looked at in older ones.
class StackCursor {
 public:
  /// One store of the stack. A value.
  struct Layer {
    MessageCursor cursor;
    std::uint64_t born_object = 0;         ///< as of StoreParameters
    const ExtentVolume* values = nullptr;  ///< of the store; outlives the cursor
  };
  /// Stands nowhere.
  /// @param layers  the newest first; their cursors have the same bounds
  explicit StackCursor(std::vector<Layer> layers);

  /// Moves, and their errors, as of MessageCursor.
  [[nodiscard]] Status seek(std::string_view key);
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// It must stand at a place.
  [[nodiscard]] Status next();
  [[nodiscard]] Status previous();

  [[nodiscard]] bool is_at_place() const { return is_somewhere_; }
  // While it stands there:
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] bool has_message() const { return !said_.empty(); }
  /// Of the message, if there is one. Reads nothing.
  [[nodiscard]] MessageKind kind() const;
  /// What the stores say of the key together, if they do. A large value is read for it. Errors:
  /// those of LargeValue::load.
  [[nodiscard]] Result<Message> message() const;
  /// As of MessageCursor.
  [[nodiscard]] const KeyEnd* covered_until() const { return cover_ ? &*cover_ : nullptr; }

 private:
  struct Head {
    Layer layer;
    /// Of the last place that it has passed forward; none: that is not covered.
    std::optional<KeyEnd> passed_cover;

    [[nodiscard]] bool is_at(std::string_view key) const {
      return layer.cursor.is_at_place() && layer.cursor.key() == key;
    }
  };

  /// What one store says of a key, and what its large values lie in.
  struct Said {
    Message message;
    const ExtentVolume* values = nullptr;
  };

  [[nodiscard]] Status turn(bool backward);
  [[nodiscard]] Status find(bool backward);
  [[nodiscard]] std::optional<std::string> nearest(bool backward) const;
  [[nodiscard]] const KeyEnd* cover_of(const Head& head, std::string_view key) const;
  [[nodiscard]] std::size_t compose(std::string_view key);
  [[nodiscard]] bool is_place(std::size_t end) const;
  [[nodiscard]] Status pass(std::size_t newest, bool backward);
  [[nodiscard]] Status move_all(bool backward);

  std::vector<Head> heads_;  ///< the newest first
  bool is_somewhere_ = false;
  bool is_backward_ = false;  ///< where it went last
  std::string key_;
  std::vector<Said> said_;        ///< of the key, the newest first; none: nothing
  bool is_over_nothing_ = false;  ///< no store below says anything
  std::optional<KeyEnd> cover_;
};

}  // namespace dgfs::delta
