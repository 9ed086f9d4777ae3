// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/filter_union.h"

#include <algorithm>
#include <utility>

namespace dgfs::delta {
namespace {

// Stages over each other, with no more prefixes in a line than a full stage has.
struct Pile {
  std::uint64_t capacity;
  Buffer bytes;
  double fill;  ///< prefixes in a line, as a part of those in a full stage
};

double fill_of(const FilterStage& stage) {
  return static_cast<double>(stage.count()) / static_cast<double>(stage.capacity());
}

bool can_be_piled(const PrefixFilter& filter) {
  if (filter.ranges() != nullptr) return false;
  for (std::size_t at = 0; at < filter.stages(); ++at) {
    const FilterStage& stage = filter.stage(at);
    if (!stage.is_read() || fill_of(stage) > 0.5) return false;
  }
  return true;
}

// Lays the smaller bits over each line of the larger ones that they stand for.
void lay_over(Buffer& larger, const Buffer& smaller) {
  const auto times = larger.size() / smaller.size();
  for (std::size_t at = 0; at < larger.size(); at += FilterStage::kLineBytes) {
    const auto line = at / FilterStage::kLineBytes / times * FilterStage::kLineBytes;
    for (std::size_t i = 0; i < FilterStage::kLineBytes; ++i) larger[at + i] |= smaller[line + i];
  }
}

bool lay(Pile& pile, const FilterStage& stage) {
  const auto least = std::min(pile.capacity, stage.capacity());
  const auto most = std::max(pile.capacity, stage.capacity());
  if (pile.fill + fill_of(stage) > 1 || most % least != 0) return false;
  Buffer bytes = stage.encode();
  if (stage.capacity() > pile.capacity) std::swap(bytes, pile.bytes);
  lay_over(pile.bytes, bytes);
  pile.capacity = most;
  pile.fill += fill_of(stage);
  return true;
}

}  // namespace

FilterUnion::FilterUnion(std::span<const PrefixFilter* const> filters) : filters_(filters.size()) {
  std::vector<Pile> piles;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (filters[i] == nullptr || !can_be_piled(*filters[i])) {
      left_out_.push_back(i);
      continue;
    }
    for (std::size_t at = 0; at < filters[i]->stages(); ++at) {
      const FilterStage& stage = filters[i]->stage(at);
      const auto takes = [&](Pile& pile) { return lay(pile, stage); };
      if (std::any_of(piles.begin(), piles.end(), takes)) continue;
      piles.push_back({stage.capacity(), stage.encode(), fill_of(stage)});
    }
  }
  for (const Pile& pile : piles) stages_.emplace_back(pile.capacity, 0).read(pile.bytes);
}

bool FilterUnion::may_have(const ObjectPrefix& prefix) const {
  const auto hash = FilterStage::hash(prefix);
  return std::any_of(stages_.begin(), stages_.end(),
                     [&](const FilterStage& stage) { return stage.may_have(hash); });
}

}  // namespace dgfs::delta
