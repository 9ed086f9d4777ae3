// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Snapshot: the state of a store at one moment, for many lookups and cursors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "delta/store/extent/value_slice.h"
#include "delta/store/filter/prefix_filter.h"
#include "delta/store/snapshot/cursor.h"
#include "delta/store/snapshot/holders.h"
#include "delta/store/snapshot/message_cursor.h"
#include "delta/store/snapshot/view.h"

namespace dgfs::delta {

/// A value. Thread-safe. The store must outlive it. It keeps the space of its state.
class Snapshot {
 public:
  /// @param holder       null: the snapshot is not listed
  /// @param born_object  of the store
  /// @param filter       of the store; null: it has none
  Snapshot(TreeView view, const BlockSource& source, SnapshotHolders::Hold holder,
           std::uint64_t born_object = 0, const PrefixFilter* filter = nullptr)
      : view_(std::move(view)),
        source_(source),
        holder_(std::move(holder)),
        born_object_(born_object),
        filter_(filter) {}

  /// Like the calls of Store.
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const;
  [[nodiscard]] Result<Message> find(std::string_view key) const;
  /// Like find(), but does not read large values; values() has them while the snapshot lives.
  [[nodiscard]] Result<Message> find_unread(std::string_view key) const;
  [[nodiscard]] Result<std::optional<ValueSlice>> read(
      std::string_view key, std::uint64_t begin_bytes = 0,
      std::uint64_t length_bytes = UINT64_MAX) const;
  /// A cursor may outlive the snapshot. It then keeps the space itself, and the holder is no longer
  /// listed.
  [[nodiscard]] Cursor cursor(KeyRange bounds = {"", std::nullopt}) const {
    return {view_, source_, std::move(bounds)};
  }
  [[nodiscard]] MessageCursor message_cursor(KeyRange bounds = {"", std::nullopt}) const {
    return {view_, source_, std::move(bounds)};
  }
  /// As Store::may_have(); also true for objects that were written after the snapshot was taken.
  [[nodiscard]] bool may_have(std::uint8_t object_class, std::uint64_t object) const {
    return filter_ == nullptr || filter_->may_have({object_class, object});
  }
  /// Null: the store has none. The store owns it.
  [[nodiscard]] const PrefixFilter* filter() const { return filter_; }
  /// Above every object number below the store.
  [[nodiscard]] std::uint64_t born_object() const { return born_object_; }
  /// The volume that holds large values.
  [[nodiscard]] const ExtentVolume* values() const { return source_.values; }

 private:
  TreeView view_;
  BlockSource source_;
  SnapshotHolders::Hold holder_;
  std::uint64_t born_object_;
  const PrefixFilter* filter_;
};

/// The message of a view for a key, to be put over what lies below, with a large value read.
/// @param newer  lies over the view
/// Errors: kIo, kCorrupt.
[[nodiscard]] Result<Message> find_whole(const TreeView& view, std::string_view key, Message newer,
                                         const BlockSource& source);
/// Part of a value of a view that has nothing below; none: there is no such key. Otherwise as
/// find_whole() and part_of_value().
[[nodiscard]] Result<std::optional<ValueSlice>> read(const TreeView& view, std::string_view key,
                                                     Message newer, std::uint64_t begin_bytes,
                                                     std::uint64_t length_bytes,
                                                     const BlockSource& source);
/// The value if nothing lies below; none: there is no such key.
[[nodiscard]] std::optional<std::string> value_over_nothing(Message message);

}  // namespace dgfs::delta
