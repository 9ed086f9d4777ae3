// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/intake.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "delta/store/disk/parameters.h"
#include "delta/store/extent/large_value.h"
#include "delta/store/message/overlay.h"
#include "delta/store/run/memtable.h"

namespace dgfs::delta {
namespace {

Status check_key(const std::string& key) {
  if (key.size() <= kKeyBytesMax) return ok();
  return Error(ErrorKind::kLimit, 7070, "a key is too long");
}

Status check(const PointChange& change) {
  DGFS_CHECK(check_key(change.key));
  const std::uint64_t value_bytes = change.message.value ? change.message.value->size() : 0;
  std::uint64_t bytes = std::max(value_bytes, change.message.patch.least_bytes());
  for (const Edit& edit : change.message.patch.edits()) {
    const auto begin = begin_of(edit);
    const auto length = end_of(edit) - begin;  // also if the end overflows
    const bool is_far = begin > kValueBytesMax || length > kValueBytesMax - begin;
    bytes = is_far ? kValueBytesMax + 1 : std::max(bytes, begin + length);
    if (is_far) break;
  }
  if (bytes <= kValueBytesMax) return ok();
  return Error(ErrorKind::kLimit, 7071, "a value is too long");
}

Status check(const RangeDelete& removal) {
  DGFS_CHECK(check_key(removal.range.begin));
  return removal.range.end ? check_key(*removal.range.end) : Status(ok());
}

// Length of a value or a piece that is large as it comes; 0: not large.
std::size_t large_bytes_of(const Message& message, const LargeBounds& bounds) {
  if (message.value) {
    if (!message.patch.empty()) return 0;
    return message.value->size() > bounds.value_bytes_max ? message.value->size() : 0;
  }
  const auto& edits = message.patch.edits();
  if (edits.size() != 1 || message.patch.least_bytes() != 0) return 0;
  const auto* piece = std::get_if<Piece>(&edits.front());
  return piece != nullptr && piece->bytes.size() > bounds.piece_bytes_max ? piece->bytes.size() : 0;
}

std::size_t large_bytes_of(const Operation& operation, const LargeBounds& bounds) {
  const auto* change = std::get_if<PointChange>(&operation);
  return change == nullptr ? 0 : large_bytes_of(change->message, bounds);
}

Message made_large(const Message& message, ExtentVolume& volume) {
  if (message.value) return Message::put(std::make_shared<const LargeValue>(message.value, volume));
  const auto& piece = std::get<Piece>(message.patch.edits().front());
  auto large =
      std::make_shared<const LargeValue>(std::make_shared<const std::string>(piece.bytes), volume);
  return Message::change(LargePiece{piece.offset_bytes, std::move(large), 0, piece.bytes.size()});
}

}  // namespace

Status check_batch(const Batch& batch) {
  for (const Operation& operation : batch.operations()) {
    DGFS_CHECK(std::visit([](const auto& each) { return check(each); }, operation));
  }
  return ok();
}

bool removes_only(const Batch& batch) {
  return std::ranges::all_of(batch.operations(), [](const Operation& operation) {
    const auto* change = std::get_if<PointChange>(&operation);
    return change == nullptr || is_needless_over_nothing(change->message.kind);
  });
}

BatchSize size_of(const Batch& batch, const LargeBounds& bounds) {
  BatchSize size;
  size.operations = batch.operations().size();
  for (const Operation& operation : batch.operations()) {
    size.table_bytes += Memtable::bytes_of(operation);
    const auto large_bytes = large_bytes_of(operation, bounds);
    if (large_bytes == 0) continue;
    size.table_bytes = size.table_bytes - large_bytes + size_bytes_of_large(large_bytes);
    size.value_bytes += padded_bytes(large_bytes);
  }
  return size;
}

Batch with_large_values(const Batch& batch, const LargeBounds& bounds, ExtentVolume& volume) {
  Batch all;
  for (const Operation& operation : batch.operations()) {
    if (large_bytes_of(operation, bounds) == 0) {
      all.add(operation);
      continue;
    }
    const auto& change = std::get<PointChange>(operation);
    all.add(PointChange{change.key, made_large(change.message, volume)});
  }
  return all;
}

}  // namespace dgfs::delta
