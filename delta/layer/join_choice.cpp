// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/join_choice.h"

#include <algorithm>
#include <numeric>

namespace dgfs::layer {
namespace {

std::uint64_t bytes_of(std::span<const LayerSize> layers, const delta::LayerRange& range) {
  const auto part = layers.subspan(range.begin, range.size());
  return std::accumulate(
      part.begin(), part.end(), std::uint64_t{0},
      [](std::uint64_t sum, const LayerSize& layer) { return sum + layer.bytes; });
}

// The two neighbours with the fewest bytes; of equal ones the newest.
std::optional<delta::LayerRange> least_pair(std::span<const LayerSize> layers) {
  std::optional<delta::LayerRange> least;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    const delta::LayerRange pair{i, i + 2};
    if (layers[i].stays) continue;
    if (!least || bytes_of(layers, pair) <= bytes_of(layers, *least)) least = pair;
  }
  return least;
}

}  // namespace

std::vector<delta::LayerRange> all_joins(std::span<const LayerSize> layers) {
  std::vector<delta::LayerRange> joins;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].stays && i + 1 < layers.size()) continue;
    if (i > begin) joins.push_back({begin, i + 1});
    begin = i + 1;
  }
  return joins;
}

std::optional<delta::LayerRange> next_join(std::span<const LayerSize> layers,
                                           std::size_t unnamed_max, std::size_t layers_max) {
  const auto unnamed =
      std::ranges::count_if(layers, [](const LayerSize& layer) { return !layer.stays; });
  if (static_cast<std::size_t>(unnamed) <= unnamed_max && layers.size() < layers_max) {
    return std::nullopt;
  }
  auto range = least_pair(layers);
  if (!range) return std::nullopt;
  auto bytes = bytes_of(layers, *range);
  for (bool is_longer = true; is_longer;) {
    is_longer = false;
    if (range->begin > 0 && !layers[range->begin - 1].stays &&
        layers[range->begin - 1].bytes <= bytes) {
      bytes += layers[--range->begin].bytes;
      is_longer = true;
    }
    if (range->end < layers.size() && !layers[range->end - 1].stays &&
        layers[range->end].bytes <= bytes) {
      bytes += layers[range->end++].bytes;
      is_longer = true;
    }
  }
  return range;
}

}  // namespace dgfs::layer
