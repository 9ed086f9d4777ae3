// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/ahead/read_forecast.h"

#include <algorithm>

namespace dgfs::fuse {
namespace {

constexpr int kReadEarns = 1;
constexpr int kUnreadCosts = 2;
constexpr int kForecastTrustMin = 8;
// After five files that are not read, trust is below the minimum.
constexpr int kForecastTrustMax = 17;

}  // namespace

bool ReadForecast::saw_lookup(format::InodeNumber inode) {
  auto& oldest = lookups_[next_];
  next_ = (next_ + 1) % kLookupsMax;
  if (oldest.inode != 0) trust_ = std::max(0, trust_ - kUnreadCosts);
  oldest = {inode, trust_ >= kForecastTrustMin};
  return oldest.was_foretold;
}

bool ReadForecast::saw_read(format::InodeNumber inode) {
  const auto found = std::find_if(lookups_.begin(), lookups_.end(),
                                  [inode](const Lookup& lookup) { return lookup.inode == inode; });
  if (found == lookups_.end()) return false;
  trust_ = std::min(kForecastTrustMax, trust_ + kReadEarns);
  found->inode = 0;
  return found->was_foretold;
}

}  // namespace dgfs::fuse
