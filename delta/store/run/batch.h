// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Batch: operations that happen together or not at all.
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

/// All keys of a range go.
struct RangeDelete {
  KeyRange range;
};

using Operation = std::variant<PointChange, RangeDelete>;

/// A range of keys of which a batch leaves something dead. A value.
struct DeadRange {
  KeyRange range;
  std::uint64_t bytes = 0;  ///< on disk, about
};

/// What becomes of a batch where the disk is full.
enum class BatchClass : std::uint8_t {
  kOrdinary,  ///< it is refused
  /// It makes space in the end: removes, and changes small records for that, as unlink and truncate
  /// do. What is in reserve for such batches (delta/store/space_reserve.h) takes it in. Its large
  /// values find as much space as those of any batch.
  kRemoving,
  kInternal,  ///< of whoever keeps the store in order; has a smaller reserve of its own
};

/// Operations in order; later ones see what earlier ones did. A value.
class Batch {
 public:
  /// Gives `key` the value, whatever it had.
  void put(std::string key, std::string value) {
    add(PointChange{std::move(key), Message::put(std::move(value))});
  }
  void remove(std::string key) { add(PointChange{std::move(key), Message::removal()}); }
  /// Removes a key of which it is known that no layer below the store has it: nothing is left of it
  /// once it has reached the lowest level of the store.
  void erase(std::string key) { add(PointChange{std::move(key), Message::erasure()}); }
  /// Removes all keys of `range`, however many there are; an empty range has none.
  void remove_range(KeyRange range) { add(RangeDelete{std::move(range)}); }
  /// Replaces bytes of the value from an offset on, without reading it. A key that is not there has
  /// an empty value first; a value that ends before the offset is filled up with zeros.
  void patch(std::string key, std::uint64_t offset_bytes, std::string bytes) {
    if (bytes.empty()) return;
    add(PointChange{std::move(key), Message::change(Piece{offset_bytes, std::move(bytes)})});
  }
  /// Zeros take the place of bytes of the value from an offset on, as far as there are any.
  void zero(std::string key, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    if (length_bytes == 0) return;
    add(PointChange{std::move(key), Message::change(Zeros{offset_bytes, length_bytes})});
  }
  /// Changes a field of 8 bytes of the value likewise.
  void change_field(std::string key, FieldChange change) {
    add(PointChange{std::move(key), Message::change(change)});
  }

  /// Sets one.
  void set_field(std::string key, std::uint64_t offset_bytes, std::uint64_t value) {
    add(PointChange{std::move(key), Message::change(field_set_to(offset_bytes, value))});
  }

  /// What the caller says of it. One that does nothing but remove is never refused for want of
  /// space, whatever its class.
  void set_class(BatchClass batch_class) { class_ = batch_class; }
  [[nodiscard]] BatchClass batch_class() const { return class_; }

  /// Says that much of what a range has dies with it, which the store cannot know before it reads
  /// it: their space is wanted soon (StoreOptions::dead_interval). It is a hint, for contents of
  /// files, say: what waits for the range goes down the tree early, which costs a write of each
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
