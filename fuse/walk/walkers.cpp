// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/walk/walkers.h"

#include <algorithm>

namespace dgfs::fuse {

Walkers::Walker* Walkers::find(Id id) {
  const auto found = std::find_if(walkers_.begin(), walkers_.end(),
                                  [id](const Walker& walker) { return walker.id == id; });
  return found == walkers_.end() ? nullptr : &*found;
}

// The one with this number; a new one if there is none, or if it has paused.
Walkers::Walker& Walkers::present(Id id, std::uint64_t now_ns) {
  auto* walker = find(id);
  const bool is_new = walker == nullptr;
  if (is_new) {
    walker = &*std::min_element(
        walkers_.begin(), walkers_.end(),
        [](const Walker& one, const Walker& other) { return one.used_ns < other.used_ns; });
  }
  // Another thread may have taken the time a little later.
  const bool has_paused = now_ns > walker->used_ns && now_ns - walker->used_ns > kPauseNs;
  if (is_new || has_paused) *walker = {};
  walker->id = id;
  walker->used_ns = std::max(walker->used_ns, now_ns);
  return *walker;
}

ListingPlan Walkers::plan(const Walker& walker) {
  switch (walker.verdict) {
    case Verdict::kUnknown:
      return {.probes = kProbes - std::min(kProbes, walker.probes_here)};
    case Verdict::kNames:
      return {.bare_names = walker.bare_names_left};
    case Verdict::kAttributes:
      break;
  }
  return {};
}

ListingPlan Walkers::begin(Id id, InodeNumber directory, InodeNumber parent, std::uint64_t now_ns) {
  if (id == 0) return {};
  auto& walker = present(id, now_ns);
  // A walk lists the directories in a directory before it is done with the files there.
  const bool goes_elsewhere = directory != walker.directory && parent != walker.directory;
  if (goes_elsewhere) walker.left_alone += walker.probes_here;
  if (walker.verdict == Verdict::kUnknown && walker.left_alone >= kProbes) {
    walker.verdict = Verdict::kNames;
  }
  walker.directory = directory;
  walker.probes_here = 0;
  walker.bare_names_left = std::min(kBareNamesMax, kBareNamesMin + walker.bare_names / 2);
  return plan(walker);
}

ListingPlan Walkers::go_on(Id id, InodeNumber directory, std::uint64_t now_ns) {
  if (id == 0) return {};
  auto& walker = present(id, now_ns);
  return walker.directory == directory ? plan(walker) : ListingPlan{};
}

void Walkers::gave(Id id, std::span<const InodeNumber> probes, std::size_t bare_names) {
  auto* walker = id == 0 ? nullptr : find(id);
  if (walker == nullptr) return;
  for (const auto inode : probes) {
    walker->probes[walker->next_probe++ % walker->probes.size()] = inode;
  }
  walker->probes_here += probes.size();
  walker->bare_names += bare_names;
  walker->bare_names_left -= std::min(walker->bare_names_left, bare_names);
}

void Walkers::saw_attributes(InodeNumber inode) {
  if (inode == 0) return;
  for (auto& walker : walkers_) {
    const bool is_probe =
        std::find(walker.probes.begin(), walker.probes.end(), inode) != walker.probes.end();
    if (walker.id != 0 && is_probe) walker.verdict = Verdict::kAttributes;
  }
}

void Walkers::stop_bare_names() {
  for (auto& walker : walkers_) walker.verdict = Verdict::kAttributes;
}

}  // namespace dgfs::fuse
