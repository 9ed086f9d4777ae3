// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/keep_choice.h"

#include <cstddef>
#include <map>

#include "format/limits.h"

namespace dgfs::builder {
namespace {

// The most volumes of merges that a merge keeps. Merges that each have less new contents than the
// one before take over nothing otherwise, and their volumes would become more than an image may
// need.
constexpr std::size_t kMergedVolumesMax = 16;

// In floating point, because a hundred times the bytes of a volume may be too large a number.
bool is_garbage(const KeptVolume& volume, const KeptUse& use, unsigned percent) {
  const auto bytes = volume.record.data_end - format::kPageBytes;
  const auto dead = bytes - use.extent_bytes;
  return static_cast<double>(dead) * 100 > static_cast<double>(bytes) * percent;
}

}  // namespace

VolumeNumbers volumes_to_pack(const std::vector<KeptVolume>& volumes, const KeptUses& uses,
                              std::uint64_t packed_bytes, const KeepRules& rules) {
  VolumeNumbers packed;
  const auto pack = [&](format::VolumeNumber number) {
    packed.insert(number);
    packed_bytes += uses.at(number).content_bytes;
  };
  // The volumes that may be folded, the smallest first. One that is folded makes room for the next.
  std::multimap<std::uint64_t, format::VolumeNumber> small;
  for (const KeptVolume& volume : volumes) {
    const auto use = uses.find(volume.record.number);
    if (use == uses.end()) continue;
    if (rules.dead_percent && is_garbage(volume, use->second, *rules.dead_percent)) {
      pack(use->first);
    } else if (rules.folds && volume.is_there && volume.origin.is_of_merge) {
      small.emplace(use->second.content_bytes, use->first);
    }
  }
  auto kept = small.size();
  for (const auto& [bytes, number] : small) {
    if (bytes > packed_bytes && kept <= kMergedVolumesMax) break;
    pack(number);
    --kept;
  }
  return packed;
}

}  // namespace dgfs::builder
