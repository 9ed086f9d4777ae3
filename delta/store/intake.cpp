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
#include "delta/store/run/memtable.h"
#include "delta/store/run/overlay.h"

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
    const auto length = end_of(edit) - begin;  // also where the end is beyond all numbers
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

// Null: it has no large value.
const PointChange* large_change(const Operation& operation, std::size_t inline_bytes) {
  const auto* change = std::get_if<PointChange>(&operation);
  const bool is_large = change != nullptr && change->message.value != nullptr &&
                        change->message.value->size() > inline_bytes;
  return is_large ? change : nullptr;
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

BatchSize size_of(const Batch& batch, std::size_t inline_bytes) {
  BatchSize size;
  size.operations = batch.operations().size();
  for (const Operation& operation : batch.operations()) {
    size.table_bytes += Memtable::bytes_of(operation);
    const auto* change = large_change(operation, inline_bytes);
    if (change == nullptr) continue;
    size.table_bytes -= change->message.value->size();
    size.value_bytes += padded_bytes(change->message.value->size());
  }
  return size;
}

Batch with_large_values(const Batch& batch, std::size_t inline_bytes, ExtentVolume& volume) {
  Batch all;
  for (const Operation& operation : batch.operations()) {
    const auto* change = large_change(operation, inline_bytes);
    if (change == nullptr) {
      all.add(operation);
      continue;
    }
    auto large = std::make_shared<const LargeValue>(change->message.value, volume);
    all.add(PointChange{change->key, Message::put(std::move(large))});
  }
  return all;
}

}  // namespace dgfs::delta
