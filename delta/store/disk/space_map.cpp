// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/disk/space_map.h"

#include <iterator>
#include <utility>

namespace dgfs::delta {

// Adds to both maps or, without memory, to neither.
void SpaceMap::add(const Extent& stretch) {
  auto& lengths = by_length(stretch.offset_bytes);
  const auto length = lengths.emplace(stretch.length_bytes, stretch.offset_bytes).first;
  try {
    free_.emplace(stretch.offset_bytes, stretch.length_bytes);
  } catch (...) {
    lengths.erase(length);
    throw;
  }
  count(stretch);
}

void SpaceMap::add(const Extent& stretch, Removed&& removed) {
  removed.by_length.value() = {stretch.length_bytes, stretch.offset_bytes};
  removed.in_order.key() = stretch.offset_bytes;
  removed.in_order.mapped() = stretch.length_bytes;
  by_length(stretch.offset_bytes).insert(std::move(removed.by_length));
  free_.insert(std::move(removed.in_order));
  count(stretch);
}

SpaceMap::Removed SpaceMap::remove(Stretches::iterator stretch) {
  free_bytes_ -= stretch->second;
  free_page_bytes_ -= inner_pages({stretch->first, stretch->second}).length_bytes;
  auto by_its_length = by_length(stretch->first).extract({stretch->second, stretch->first});
  return {free_.extract(stretch), std::move(by_its_length)};
}

std::optional<Extent> SpaceMap::take_of(const ByLength& stretches, std::uint64_t length_bytes) {
  const auto fit = stretches.lower_bound({length_bytes, 0});
  if (fit == stretches.end()) return std::nullopt;
  const auto [stretch_bytes, offset] = *fit;
  const Extent extent{offset, length_bytes};
  auto removed = remove(free_.find(offset));
  if (stretch_bytes != length_bytes) {
    add({extent.end_bytes(), stretch_bytes - length_bytes}, std::move(removed));
  }
  return extent;
}

std::optional<Extent> SpaceMap::take_open(std::uint64_t length_bytes) {
  return take_of(open_, length_bytes);
}

Extent SpaceMap::take(std::uint64_t length_bytes) {
  if (const auto extent = take_of(open_, length_bytes)) return *extent;
  if (const auto extent = take_of(closed_, length_bytes)) return *extent;
  const Extent extent{end_bytes_, length_bytes};
  end_bytes_ = extent.end_bytes();
  return extent;
}

Extent SpaceMap::take_behind(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  if (offset_bytes > end_bytes_) {
    add({end_bytes_, offset_bytes - end_bytes_});
    end_bytes_ = offset_bytes;
  }
  const Extent extent{end_bytes_, length_bytes};
  end_bytes_ = extent.end_bytes();
  return extent;
}

void SpaceMap::close_from(std::uint64_t offset_bytes) {
  open_.merge(closed_);
  closed_from_bytes_ = offset_bytes;
  for (auto stretch = free_.lower_bound(offset_bytes); stretch != free_.end(); ++stretch) {
    closed_.insert(open_.extract({stretch->second, stretch->first}));
  }
}

std::uint64_t SpaceMap::begin_of_last(std::uint64_t taken_bytes) const {
  std::uint64_t end = end_bytes_;
  for (auto stretch = free_.rbegin(); stretch != free_.rend(); ++stretch) {
    const auto taken_behind = end - (stretch->first + stretch->second);
    if (taken_behind >= taken_bytes) break;
    taken_bytes -= taken_behind;
    end = stretch->first;
  }
  return end - std::min(end, taken_bytes);
}

void SpaceMap::give_back(const Extent& extent) {
  Extent whole = extent;
  Removed touched;
  auto after = free_.lower_bound(extent.offset_bytes);
  const bool is_free_behind = after != free_.end() && after->first < extent.end_bytes();
  const bool is_free_before =
      after != free_.begin() &&
      std::prev(after)->first + std::prev(after)->second > extent.offset_bytes;
  if (is_free_behind || is_free_before || extent.end_bytes() > end_bytes_) return;
  if (after != free_.end() && after->first == extent.end_bytes()) {
    whole.length_bytes += after->second;
    touched = remove(after++);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == whole.offset_bytes) {
      whole = {before->first, before->second + whole.length_bytes};
      touched = remove(before);
    }
  }
  if (whole.end_bytes() == end_bytes_) {
    end_bytes_ = whole.offset_bytes;
  } else if (touched.empty()) {
    add(whole);
  } else {
    add(whole, std::move(touched));
  }
}

std::vector<Extent> SpaceMap::free_from(std::uint64_t offset_bytes, std::size_t count_max) const {
  std::vector<Extent> stretches;
  auto stretch = free_.lower_bound(offset_bytes);
  for (; stretch != free_.end() && stretches.size() < count_max; ++stretch) {
    stretches.push_back({stretch->first, stretch->second});
  }
  return stretches;
}

void SpaceMap::restore(std::uint64_t end_bytes, const std::vector<Extent>& free) {
  end_bytes_ = end_bytes;
  for (const Extent& stretch : free) {
    free_.emplace_hint(free_.end(), stretch.offset_bytes, stretch.length_bytes);
    by_length(stretch.offset_bytes).emplace(stretch.length_bytes, stretch.offset_bytes);
    count(stretch);
  }
}

bool SpaceMap::mark(const Extent& extent) {
  if (extent.offset_bytes >= end_bytes_) {
    if (extent.offset_bytes > end_bytes_) {
      add({end_bytes_, extent.offset_bytes - end_bytes_});
    }
    end_bytes_ = extent.end_bytes();
    return true;
  }
  const auto behind = free_.upper_bound(extent.offset_bytes);
  if (behind == free_.begin()) return false;
  const auto stretch = std::prev(behind);
  const Extent whole{stretch->first, stretch->second};
  if (whole.end_bytes() < extent.end_bytes()) return false;
  remove(stretch);
  if (whole.offset_bytes != extent.offset_bytes) {
    add({whole.offset_bytes, extent.offset_bytes - whole.offset_bytes});
  }
  if (whole.end_bytes() != extent.end_bytes()) {
    add({extent.end_bytes(), whole.end_bytes() - extent.end_bytes()});
  }
  return true;
}

}  // namespace dgfs::delta
