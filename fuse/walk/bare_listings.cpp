// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/walk/bare_listings.h"

#include <algorithm>

namespace dgfs::fuse {
namespace {

// Numbers of neighbours differ by so much at most: a walk skips directories.
constexpr format::InodeNumber kDistanceMax = 4;

}  // namespace

void BareListings::add(InodeNumber directory, std::size_t names) {
  if (names != 0) listings_[directory].bare_names += names;
}

// Several programs may look up names at the same time, so some of the last lookups are compared.
bool BareListings::is_neighbour(InodeNumber inode) {
  const bool found = std::any_of(lookups_.begin(), lookups_.end(), [inode](InodeNumber other) {
    const auto distance = std::max(inode, other) - std::min(inode, other);
    return other != 0 && distance <= kDistanceMax;
  });
  lookups_[next_lookup_++ % lookups_.size()] = inode;
  return found;
}

std::optional<std::vector<format::InodeNumber>> BareListings::saw_lookup(InodeNumber directory,
                                                                         InodeNumber inode) {
  const auto found = listings_.find(directory);
  if (found == listings_.end()) return std::nullopt;
  auto& listing = found->second;
  const bool is_spared = listing.is_spared;
  listing.has_lookups = true;
  if (--listing.bare_names == 0) listings_.erase(found);
  if (is_spared) return std::nullopt;
  count_ += is_neighbour(inode) ? kNeighbourCounts : 1;
  if (count_ < kReason) return std::nullopt;
  return take_untouched(directory);
}

std::vector<format::InodeNumber> BareListings::take_untouched(InodeNumber first) {
  std::vector<InodeNumber> taken;
  taken.reserve(listings_.size());
  for (auto& [directory, listing] : listings_) {
    listing.is_spared = listing.has_lookups;
    if (!listing.is_spared) taken.push_back(directory);
  }
  std::erase_if(listings_, [](const auto& each) { return !each.second.is_spared; });
  count_ = 0;
  std::sort(taken.begin(), taken.end());
  const auto behind = std::upper_bound(taken.begin(), taken.end(), first);
  std::rotate(taken.begin(), behind, taken.end());
  return taken;
}

}  // namespace dgfs::fuse
