// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/object_numbers.h"

#include <algorithm>

#include "delta/view/record/keys.h"

namespace dgfs::view {
namespace {

// So many times ViewOptions::numbers_reserved are kept for objects that are made while a seal is
// prepared, which takes a few seconds at most.
constexpr std::uint64_t kNumbersUntilSwitch = 16;

}  // namespace

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
    std::unique_lock lock(mutex_);
    seal_ended_.wait(lock, [this] { return next_ < reserved_ || !next_born_; });
    if (next_ < reserved_) return ok();
    if (UINT64_MAX - reserved_ <= options_.numbers_reserved) {
      return Error(ErrorKind::kNoSpace, 7340, "there are no more object numbers");
    }
    end = reserved_ + options_.numbers_reserved;
  }
  DGFS_CHECK(put_reserved(end));
  const std::lock_guard lock(mutex_);
  reserved_ = std::max(reserved_, end);
  return ok();
}

// The record goes into the store that is written to when it is applied. If a switch comes after
// that, it has raised the reserved numbers already.
Status ObjectNumbers::put_reserved(ObjectNumber end) {
  delta::Batch batch;
  batch.set_class(delta::BatchClass::kInternal);
  batch.put(key_of(RecordClass::kReserved, 0), number_value(end));
  auto patience = delta::Store::Patience::kFresh;
  for (;;) {
    const auto generation = generations_.current();
    Result<std::uint64_t> applied = std::uint64_t{0};
    {
      const auto pass = generations_.pass(*generation);
      if (!pass) continue;
      applied = generation->live().try_apply(batch, patience);
    }
    if (applied) return generation->live().sync(applied.value());
    if (applied.error().kind() != ErrorKind::kBusy) return std::move(applied).error();
    DGFS_CHECK(generation->live().wait_for_room(batch));
    patience = delta::Store::Patience::kWaited;
  }
}

Result<ObjectNumber> ObjectNumbers::begin_seal() {
  const std::lock_guard reserving(reserving_);
  ObjectNumber born = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto more = kNumbersUntilSwitch * options_.numbers_reserved;
    if (UINT64_MAX - reserved_ <= more + options_.numbers_reserved) {
      return Error(ErrorKind::kNoSpace, 7523, "there are no more object numbers");
    }
    born = reserved_ + more;
  }
  DGFS_CHECK(put_reserved(born + options_.numbers_reserved));
  const std::lock_guard lock(mutex_);
  reserved_ = born;
  next_born_ = born;
  return born;
}

void ObjectNumbers::switch_over() noexcept {
  const std::lock_guard lock(mutex_);
  rows_.clear();
  next_ = *next_born_;
  reserved_ = next_ + options_.numbers_reserved;
  next_born_.reset();
  seal_ended_.notify_all();
}

void ObjectNumbers::end_seal() noexcept {
  const std::lock_guard lock(mutex_);
  next_born_.reset();
  seal_ended_.notify_all();
}

}  // namespace dgfs::view
