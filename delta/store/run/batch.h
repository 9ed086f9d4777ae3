// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Batch: operations that are applied together or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "delta/store/message/message.h"
#include "delta/store/run/range_tombstones.h"

namespace dgfs::delta {

/// What happens to one key.
struct PointChange {
  std::string key;
  Message message;
};

/// Removes all keys of a range.
struct RangeDelete {
  KeyRange range;
};

using Operation = std::variant<PointChange, RangeDelete>;

/// A range of keys in which a batch leaves dead data. A value.
struct DeadRange {
  KeyRange range;
  std::uint64_t bytes = 0;  ///< roughly, on disk
};

/// How a batch is treated when the disk is full.
enum class BatchClass : std::uint8_t {
  kOrdinary,  ///< refused
  /// Makes space in the end: it removes, and changes small records for that, as unlink and truncate
  /// do. It is taken in with the space in reserve for such batches (delta/store/space_reserve.h);
  /// but its large values need free space like those of any batch.
  kRemoving,
  kInternal,  ///< upkeep and repair, not users; draws on a smaller reserve of its own
};

/// Operations in order; later ones see the effect of earlier ones. A value.
class Batch {
 public:
  /// Sets the value of `key`.
  void put(std::string key, std::string value) {
    add(PointChange{std::move(key), Message::put(std::move(value))});
  }
  void remove(std::string key) { add(PointChange{std::move(key), Message::removal()}); }
  /// Removes a key that no layer below the store has: nothing is left of the key or the removal at
  /// the lowest level of the store.
  void erase(std::string key) { add(PointChange{std::move(key), Message::erasure()}); }
  /// Removes all keys of `range`, however many there are; an empty range has none.
  void remove_range(KeyRange range) { add(RangeDelete{std::move(range)}); }
  /// Replaces bytes of the value from an offset on, without reading it. A missing key gets an empty
  /// value first; a value that ends before the offset is filled up with zeros.
  void patch(std::string key, std::uint64_t offset_bytes, std::string bytes) {
    if (bytes.empty()) return;
    add(PointChange{std::move(key), Message::change(Piece{offset_bytes, std::move(bytes)})});
  }
  /// Replaces bytes of the value from an offset on by zeros. Stops at the end of the value.
  void zero(std::string key, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    if (length_bytes == 0) return;
    add(PointChange{std::move(key), Message::change(Zeros{offset_bytes, length_bytes})});
  }
  /// Changes a field of 8 bytes of the value, without reading it.
  void change_field(std::string key, FieldChange change) {
    add(PointChange{std::move(key), Message::change(change)});
  }

  /// Sets a field.
  void set_field(std::string key, std::uint64_t offset_bytes, std::uint64_t value) {
    add(PointChange{std::move(key), Message::change(field_set_to(offset_bytes, value))});
  }

  /// Sets the class, as the caller knows it. A batch that only removes is never refused for lack of
  /// space, whatever its class.
  void set_class(BatchClass batch_class) { class_ = batch_class; }
  [[nodiscard]] BatchClass batch_class() const { return class_; }

  /// Notes that much data of a range dies with this batch, which the store could only find out by
  /// reading. Its space is wanted soon (StoreOptions::dead_interval). A hint, for example for
  /// contents of files: messages for the range are flushed early, which costs a write of each
  /// basement there.
  void note_dead(KeyRange range, std::uint64_t bytes) {
    dead_.push_back({std::move(range), bytes});
  }
  [[nodiscard]] const std::vector<DeadRange>& dead() const { return dead_; }

  void add(Operation operation) { operations_.push_back(std::move(operation)); }

  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  [[nodiscard]] bool empty() const { return operations_.empty(); }

 private:
  std::vector<Operation> operations_;
  std::vector<DeadRange> dead_;
  BatchClass class_ = BatchClass::kOrdinary;
};

}  // namespace dgfs::delta
