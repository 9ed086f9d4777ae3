// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/prefix_filter.h"

#include <algorithm>
#include <new>
#include <utility>
#include <variant>

namespace dgfs::delta {
namespace {

constexpr std::uint64_t whole_lines(std::uint64_t prefixes) {
  constexpr auto kLine = FilterStage::kPrefixesOfLine;
  return std::clamp((prefixes + kLine - 1) / kLine * kLine, kLine, FilterStage::kCapacityMax);
}

}  // namespace

PrefixFilter::PrefixFilter(std::uint64_t born_object, std::uint64_t first_capacity)
    : older_(born_object), first_capacity_(whole_lines(first_capacity)) {}

// The last stage usually has the most prefixes.
bool PrefixFilter::has_in_stages(const ObjectPrefix& prefix, Certainty how) const {
  const auto hash = FilterStage::hash(prefix);
  for (std::size_t at = stages(); at > 0; --at) {
    const FilterStage& stage = *stages_[at - 1];
    // In this order, because another thread may read the stage between the two.
    if ((how == Certainty::kMaybe || stage.is_read()) && stage.may_have(hash)) return true;
  }
  return false;
}

bool PrefixFilter::may_have(const ObjectPrefix& prefix) const {
  return older_.empty() || !older_.contains(prefix.object) || has(prefix, Certainty::kMaybe);
}

bool PrefixFilter::has(const ObjectPrefix& prefix, Certainty how) const {
  if (has_in_stages(prefix, how)) return true;
  const auto ranges = this->ranges();
  return ranges != nullptr && ranges->find(prefix) != nullptr;
}

bool PrefixFilter::may_have_all(const PrefixRange& prefixes) const {
  const auto ranges = this->ranges();
  std::optional prefix = prefixes.first;
  // A sound filter lets few prefixes through beyond those that it counts, so a longer walk means a
  // forged filter.
  const auto steps_max = 2 * this->prefixes() + FilterStage::kCapacityMax;
  for (std::uint64_t steps = 0; prefix && *prefix <= prefixes.last; ++steps) {
    if (steps == steps_max) return false;
    const auto* range = ranges ? ranges->find(*prefix) : nullptr;
    if (range == nullptr && !may_have(*prefix)) return false;
    prefix = older_.next(range != nullptr ? range->last : *prefix);
  }
  return true;
}

Status PrefixFilter::add(const Batch& batch) {
  if (older_.empty()) return ok();
  try {
    for (const Operation& operation : batch.operations()) {
      if (const auto* change = std::get_if<PointChange>(&operation)) {
        add(change->key);
      } else {
        add(std::get<RangeDelete>(operation).range);
      }
    }
    return ok();
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7180, "no memory for the filter of objects");
  }
}

void PrefixFilter::add(const Run& run) {
  if (older_.empty()) return;
  for (const Point point : run.points()) add(point.key);
  for (const auto& [begin, end] : run.tombstones()) add(KeyRange{begin, end});
}

// Consecutive keys are usually of one object.
void PrefixFilter::add(const ObjectPrefix& prefix) {
  if (older_.empty() || !older_.contains(prefix.object)) return;
  if (prefix == newest_) return;
  if (!has(prefix, Certainty::kSure)) {
    const auto last = stages();
    if (last == kStagesMax && stages_[last - 1]->is_full()) return add_all();
    if (last == 0 || stages_[last - 1]->is_full()) {
      const auto before = last == 0 ? 0 : stages_[last - 1]->capacity();
      restore(std::make_unique<FilterStage>(capacity_after(before)));
    }
    stages_[stages() - 1]->add(FilterStage::hash(prefix));
  }
  newest_ = prefix;
}

// A range with two prefixes is usually of one object: its end is the first key of the next object.
// Shorter keys before that end may also have the next object's prefix.
void PrefixFilter::add(const KeyRange& range) {
  const auto prefixes = older_.prefixes_of(range);
  if (!prefixes) return;
  if (prefixes->first != prefixes->last && older_.next(prefixes->first) != prefixes->last) {
    return add_range(*prefixes);
  }
  add(prefixes->first);
  add(prefixes->last);
}

void PrefixFilter::add_all() {
  if (!older_.empty()) add_range(older_.all());
}

void PrefixFilter::add_range(const PrefixRange& range) {
  for (auto before = ranges();; before = ranges()) {
    if (before != nullptr) {
      const auto* has = before->find(range.first);
      if (has != nullptr && has->contains(range.last)) return;
    }
    if (replace(before, before ? before->with(range, older_) : PrefixRanges({range}))) return;
  }
}

std::uint64_t PrefixFilter::capacity_after(std::uint64_t before) const {
  if (before == 0) return first_capacity_;
  return std::clamp(
      2 * before, first_capacity_,
      std::max(before, std::min(kGrowth * first_capacity_, FilterStage::kCapacityMax)));
}

PrefixRangesRef PrefixFilter::ranges() const {
  if (!has_ranges_) return nullptr;
  const std::lock_guard lock(ranges_lock_);
  return ranges_;
}

void PrefixFilter::restore(std::unique_ptr<FilterStage> stage) {
  const auto at = stages();
  stages_[at] = std::move(stage);
  count_.store(at + 1, std::memory_order_release);
}

void PrefixFilter::restore(PrefixRanges ranges) {
  static_cast<void>(replace(nullptr, std::move(ranges)));
}

// False: another thread has replaced the ranges meanwhile.
bool PrefixFilter::replace(const PrefixRangesRef& before, PrefixRanges ranges) {
  auto made = std::make_shared<const PrefixRanges>(std::move(ranges));
  const std::lock_guard lock(ranges_lock_);
  if (ranges_ != before) return false;
  ranges_.swap(made);  // other threads may still have the old ranges
  has_ranges_ = true;
  return true;
}

std::uint64_t PrefixFilter::prefixes() const {
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < stages(); ++at) count += stages_[at]->count();
  return count;
}

std::uint64_t PrefixFilter::size_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < stages(); ++at) {
    bytes += FilterStage::bytes_of(stages_[at]->capacity());
  }
  return bytes;
}

std::size_t PrefixFilter::memory_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < stages(); ++at) {
    if (stages_[at]->is_read()) bytes += FilterStage::bytes_of(stages_[at]->capacity());
  }
  return bytes;
}

}  // namespace dgfs::delta
