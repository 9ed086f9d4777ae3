// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/page_plan.h"

#include <algorithm>

namespace dgfs::builder {
namespace {

using format::DataAddress;
using format::Entry;

// A gap is for good if none of so many extents that follow lies in it.
constexpr std::size_t kGapPlaces = 16;
// Before it ends a page, the plan looks at so many extents.
constexpr std::size_t kPlacesAhead = 512;
// A page that ends early wastes half of its bytes on average, some 2000. An address takes two or
// three. So ending it pays if that saves so many addresses.
constexpr std::size_t kSavedMin = kPlacesAhead * 3 / 4;
// After such a look, so many extents get addresses before the next one.
constexpr std::size_t kAddressesPerLook = 64;

bool is_in_fragment(const Entry& entry) { return entry.fragment_offset.value_or(0) != 0; }

class Planner {
 public:
  Planner(std::span<Entry> entries, std::span<const ExtentPlace> places, bool may_gap)
      : entries_(entries), places_(places), may_gap_(may_gap) {}

  PagePlan plan() {
    const auto first = std::ranges::find_if(places_, [](const auto& place) { return !!place; });
    if (first != places_.end()) {
      const auto& [at, stored_bytes] = **first;
      const auto index = static_cast<std::size_t>(first - places_.begin());
      plan_.begin = at;
      // The sum of the page before has passed the frame.
      if (is_in_fragment(entries_[index])) plan_.begin.offset_bytes += stored_bytes;
    }
    sum_ = plan_.begin;
    plan_.count = entries_.size();
    for (std::size_t i = 0; i < plan_.count; ++i) {
      entries_[i].address.reset();
      entries_[i].gap_bytes = 0;
      if (places_[i] && !place(i)) plan_.count = i;
    }
    return plan_;
  }

 private:
  // Returns false if the page should end before the entry.
  bool place(std::size_t index) {
    Entry& entry = entries_[index];
    const auto& [at, stored_bytes] = *places_[index];
    entry.stored_bytes = stored_bytes;
    if (follows(index, sum_)) {
      if (is_in_fragment(entry)) return true;
      const auto gap_bytes = at.offset_bytes - sum_.offset_bytes;
      if (gap_bytes == 0 || !is_needed_between(index, sum_, at.offset_bytes)) {
        entry.gap_bytes = gap_bytes;
        sum_ = {at.volume, at.offset_bytes + stored_bytes};
        return true;
      }
    }
    if (entry.link_inode != 0) {
      entry.stored_bytes = 0;
      return true;
    }
    if (addresses_left_ == 0) {
      addresses_left_ = kAddressesPerLook;
      const bool may_begin = !is_in_fragment(entry);
      if (may_begin && count_from(index, at) >= count_from(index, sum_) + kSavedMin) return false;
    }
    --addresses_left_;
    entry.address = at;
    return true;
  }

  // Whether an extent needs no address if the sum stands at `sum`. All of a fragment frame but its
  // first file lie before the sum that this file has advanced.
  [[nodiscard]] bool follows(std::size_t index, const DataAddress& sum) const {
    const auto& [at, stored_bytes] = *places_[index];
    if (at.volume != sum.volume) return false;
    if (is_in_fragment(entries_[index])) return at.offset_bytes + stored_bytes == sum.offset_bytes;
    return may_gap_ ? at.offset_bytes >= sum.offset_bytes : at.offset_bytes == sum.offset_bytes;
  }

  // Calls `visit` for the extents from `index` on, until it returns false, at most so often.
  template <class Visit>
  void each_ahead(std::size_t index, std::size_t count_max, const Visit& visit) const {
    for (std::size_t i = index, count = 0; i < entries_.size() && count < count_max; ++i) {
      if (!places_[i]) continue;
      ++count;
      if (!visit(i)) return;
    }
  }

  [[nodiscard]] bool is_needed_between(std::size_t index, const DataAddress& begin,
                                       std::uint64_t end_bytes) const {
    bool is_needed = false;
    each_ahead(index, kGapPlaces, [&](std::size_t i) {
      const DataAddress& at = places_[i]->at;
      is_needed = at.volume == begin.volume && at.offset_bytes >= begin.offset_bytes &&
                  at.offset_bytes < end_bytes;
      return !is_needed;
    });
    return is_needed;
  }

  // How many extents from `index` on need no address if the sum stands at `sum`.
  [[nodiscard]] std::size_t count_from(std::size_t index, DataAddress sum) const {
    std::size_t count = 0;
    each_ahead(index, kPlacesAhead, [&](std::size_t i) {
      if (!follows(i, sum)) return true;
      ++count;
      if (!is_in_fragment(entries_[i])) {
        sum.offset_bytes = places_[i]->at.offset_bytes + places_[i]->stored_bytes;
      }
      return true;
    });
    return count;
  }

  std::span<Entry> entries_;
  std::span<const ExtentPlace> places_;
  const bool may_gap_;
  PagePlan plan_;
  DataAddress sum_;
  std::size_t addresses_left_ = 0;
};

}  // namespace

PagePlan plan_page(std::span<Entry> entries, std::span<const ExtentPlace> places, bool may_gap) {
  return Planner(entries, places, may_gap).plan();
}

}  // namespace dgfs::builder
