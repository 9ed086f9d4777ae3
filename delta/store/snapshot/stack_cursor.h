// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StackCursor: moves through the merged messages of the stores of a stack, in order, in both
// directions, over whatever lies below the oldest store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "delta/store/snapshot/message_cursor.h"

namespace dgfs::delta {

/// Shows the stores as they were when the cursor was made. For one thread. Places are as of
/// MessageCursor. Older stores are not read where a newer one covers them.
class StackCursor {
 public:
  /// One store of the stack. A value.
  struct Layer {
    MessageCursor cursor;
    std::uint64_t born_object = 0;         ///< as of StoreParameters
    const ExtentVolume* values = nullptr;  ///< of the store; outlives the cursor
  };
  /// Is nowhere.
  /// @param layers  the newest first; their cursors have the same bounds
  explicit StackCursor(std::vector<Layer> layers);

  /// Moves, and their errors, are as of MessageCursor.
  [[nodiscard]] Status seek(std::string_view key);
  [[nodiscard]] Status seek_before(const KeyEnd& end);
  /// The cursor must be at a place.
  [[nodiscard]] Status next();
  [[nodiscard]] Status previous();

  [[nodiscard]] bool is_at_place() const { return is_somewhere_; }
  // Valid while it is at a place:
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] bool has_message() const { return !said_.empty(); }
  /// Of the message, if there is one. Reads nothing.
  [[nodiscard]] MessageKind kind() const;
  /// The merged message of the stores; call it if has_message(). Reads large values. Errors: those
  /// of LargeValue::load.
  [[nodiscard]] Result<Message> message() const;
  /// As of MessageCursor.
  [[nodiscard]] const KeyEnd* covered_until() const { return cover_ ? &*cover_ : nullptr; }

 private:
  struct Head {
    Layer layer;
    /// Of the last place that it passed going forward; none: that place is not covered.
    std::optional<KeyEnd> passed_cover;

    [[nodiscard]] bool is_at(std::string_view key) const {
      return layer.cursor.is_at_place() && layer.cursor.key() == key;
    }
  };

  /// The message of one store for a key, and the volume of its large values.
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
  bool is_backward_ = false;  ///< direction of the last move
  std::string key_;
  std::vector<Said> said_;        ///< of the key, the newest first; empty: no messages
  bool is_over_nothing_ = false;  ///< stores below have no message
  std::optional<KeyEnd> cover_;
};

}  // namespace dgfs::delta
