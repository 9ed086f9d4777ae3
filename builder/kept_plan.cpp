// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/kept_plan.h"

#include <utility>

#include "builder/pack/keep_choice.h"
#include "format/limits.h"

namespace dgfs::builder {

Result<ScanTotals> KeptPlan::scan(const ScanSinks& sinks, const SpoolPlace& place) {
  KeptExtents kept(place);
  DGFS_TRY(totals, tree_.scan(sinks, kept));
  DGFS_TRY(uses, std::move(kept).finish());
  uses_ = std::move(uses);
  auto packed = volumes_to_pack(tree_.volumes(), uses_, totals.packed_bytes, tree_.rules());
  for (const format::VolumeNumber number : packed) {
    const KeptUse& use = uses_.at(number);
    totals.contents += use.files;
    totals.packed_bytes += use.content_bytes;
    totals.extent_bytes += use.raw_extent_bytes;
    uses_.erase(number);
  }
  sinks.tree.pack_anew(std::move(packed));
  return std::move(totals);
}

std::uint64_t KeptPlan::dead_bytes_of(const KeptVolume& volume) const {
  return volume.record.data_end - format::kPageBytes - uses_.at(volume.record.number).extent_bytes;
}

void KeptPlan::add_to(IndexFacts& facts) const {
  for (const KeptVolume& volume : tree_.volumes()) {
    if (!uses_.contains(volume.record.number)) continue;
    facts.volumes.push_back(volume.record);
    facts.origins.push_back(volume.origin);
    facts.origins.back().dead_bytes = dead_bytes_of(volume);
  }
  facts.next_inode = tree_.next_inode();
  facts.state = tree_.state();
}

void KeptPlan::add_to(BuildReport& report) const {
  for (const KeptVolume& volume : tree_.volumes()) {
    if (!uses_.contains(volume.record.number)) continue;
    const KeptUse& use = uses_.at(volume.record.number);
    report.kept_names += use.files;
    report.kept_bytes += use.extent_bytes;
    report.dead_bytes += dead_bytes_of(volume);
    report.kept_volumes.push_back(volume.record.hint);
  }
}

}  // namespace dgfs::builder
