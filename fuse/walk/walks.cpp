// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/walk/walks.h"

namespace dgfs::fuse {

ListingPlan Walks::plan(Walkers::Id walker, InodeNumber directory,
                        std::optional<InodeNumber> parent, std::uint64_t now_ns) {
  if (!is_on_) return {};
  const std::lock_guard lock(mutex_);
  if (parent) bare_.begin(directory);
  auto plan = parent ? walkers_.begin(walker, directory, *parent, now_ns)
                     : walkers_.go_on(walker, directory, now_ns);
  const bool is_full = bare_.size() + dropper_.size() >= BareListings::kDirectoriesMax;
  if (is_full && keeps_listings_) plan.bare_names = 0;
  if (is_full && !keeps_listings_) bare_.clear();
  return plan;
}

void Walks::gave(Walkers::Id walker, InodeNumber directory, std::span<const InodeNumber> probes,
                 std::size_t bare_names) {
  if (probes.empty() && bare_names == 0) return;
  const std::lock_guard lock(mutex_);
  bare_.add(directory, bare_names);
  walkers_.gave(walker, probes, bare_names);
  if (!probes.empty()) has_probes_ = true;
  if (bare_names != 0) has_bare_names_ = true;
  counters_.count_bare_names(bare_names);
}

void Walks::saw_attributes(InodeNumber inode) {
  if (!has_probes_) return;
  const std::lock_guard lock(mutex_);
  walkers_.saw_attributes(inode);
}

void Walks::saw_lookup(InodeNumber directory, InodeNumber inode) {
  if (!has_bare_names_) return;
  const std::lock_guard lock(mutex_);
  const auto dropped = bare_.saw_lookup(directory, inode);
  if (!dropped) return;
  walkers_.stop_bare_names();
  if (!keeps_listings_) return;
  dropper_.add(*dropped);
  counters_.count_dropped_listings(dropped->size());
}

}  // namespace dgfs::fuse
