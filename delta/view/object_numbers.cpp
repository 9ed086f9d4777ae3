// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/object_numbers.h"

#include <algorithm>

#include "delta/view/record/keys.h"

namespace dgfs::view {

Result<ObjectNumber> ObjectNumbers::take(ObjectNumber directory) {
  for (;;) {
    if (const auto number = take_reserved(directory); number != 0) return number;
    DGFS_CHECK(reserve());
  }
}

// 0: no reserved number is left.
ObjectNumber ObjectNumbers::take_reserved(ObjectNumber directory) {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(directory);
  if (found != rows_.end() && found->second.next < found->second.end) return found->second.next++;
  const auto count = std::min(options_.numbers_of_directory, reserved_ - next_);
  if (count == 0) return 0;
  if (rows_.size() >= kRowsMax && found == rows_.end()) rows_.erase(rows_.begin());
  rows_[directory] = {next_ + 1, next_ + count};
  next_ += count;
  return next_ - count;
}

void ObjectNumbers::give_back(ObjectNumber directory, ObjectNumber number) {
  const std::lock_guard lock(mutex_);
  const auto row = rows_.find(directory);
  if (row != rows_.end() && row->second.next == number + 1) row->second.next = number;
}

ObjectNumber ObjectNumbers::end() const {
  const std::lock_guard lock(mutex_);
  return reserved_;
}

Status ObjectNumbers::reserve() {
  const std::lock_guard reserving(reserving_);
  ObjectNumber end = 0;
  {
    const std::lock_guard lock(mutex_);
    if (next_ < reserved_) return ok();
    if (UINT64_MAX - reserved_ <= options_.numbers_reserved) {
      return Error(ErrorKind::kNoSpace, 7340, "there are no more object numbers");
    }
    end = reserved_ + options_.numbers_reserved;
  }
  delta::Batch batch;
  batch.set_class(delta::BatchClass::kInternal);
  batch.put(key_of(RecordClass::kReserved, 0), number_value(end));
  DGFS_TRY(sequence, store_.apply(batch));
  DGFS_CHECK(store_.sync(sequence));
  const std::lock_guard lock(mutex_);
  reserved_ = end;
  return ok();
}

}  // namespace dgfs::view
