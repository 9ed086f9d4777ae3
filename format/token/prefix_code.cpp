// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/prefix_code.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

namespace dgfs::format {
namespace {

constexpr std::uint32_t kCodeSpace = 1u << kCodeBitsMax;

/// The symbols that occur, the rarest first.
std::vector<std::uint32_t> occurring(std::span<const std::uint64_t> counts) {
  std::vector<std::uint32_t> symbols;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) symbols.push_back(i);
  }
  std::stable_sort(symbols.begin(), symbols.end(),
                   [&](auto a, auto b) { return counts[a] < counts[b]; });
  return symbols;
}

/// Depths of the leaves of a Huffman tree over rising weights. It takes nodes from two queues, of
/// leaves and of inner nodes; inner nodes are made in rising order, too.
std::vector<unsigned> huffman_depths(std::span<const std::uint64_t> weights) {
  const auto leaves = weights.size();
  std::vector<std::uint64_t> inner(leaves);
  std::vector<std::size_t> parent(2 * leaves);
  std::size_t next_leaf = 0;
  std::size_t next_inner = 0;
  std::size_t made = 0;
  const auto take = [&](std::size_t to) {
    const bool is_leaf =
        next_leaf < leaves && (next_inner == made || weights[next_leaf] <= inner[next_inner]);
    parent[is_leaf ? next_leaf : leaves + next_inner] = leaves + to;
    return is_leaf ? weights[next_leaf++] : inner[next_inner++];
  };
  for (; made + 1 < leaves; ++made) {
    const auto first = take(made);
    inner[made] = first + take(made);
  }
  std::vector<unsigned> depths(2 * leaves);
  for (auto node = leaves + made - 1; node-- > leaves;) depths[node] = depths[parent[node]] + 1;
  for (std::size_t i = 0; i < leaves; ++i) depths[i] = depths[parent[i]] + 1;
  depths.resize(leaves);
  return depths;
}

/// Cuts lengths (falling: the rarest symbols first) to kCodeBitsMax and then repairs the code:
/// codes grow until all fit, then shrink into the space that is left.
void bound_lengths(std::vector<unsigned>& lengths) {
  std::uint64_t space = 0;
  for (auto& length : lengths) {
    length = std::min(length, kCodeBitsMax);
    space += kCodeSpace >> length;
  }
  for (std::size_t i = 0; space > kCodeSpace; i = i + 1 == lengths.size() ? 0 : i + 1) {
    if (lengths[i] == kCodeBitsMax) continue;
    space -= kCodeSpace >> ++lengths[i];
  }
  for (std::size_t i = lengths.size(); i-- > 0;) {
    while (lengths[i] > 1 && space + (kCodeSpace >> lengths[i]) <= kCodeSpace) {
      space += kCodeSpace >> lengths[i]--;
    }
  }
}

}  // namespace

Buffer code_lengths(std::span<const std::uint64_t> counts) {
  assert(counts.size() >= 2);
  Buffer lengths(counts.size());
  auto symbols = occurring(counts);
  if (symbols.size() < 2) {
    const std::uint32_t other = symbols.empty() || symbols[0] != 0 ? 0 : 1;
    if (symbols.empty()) symbols.push_back(1);
    symbols.push_back(other);
    for (const auto symbol : symbols) lengths[symbol] = 1;
    return lengths;
  }
  std::vector<std::uint64_t> weights;
  for (const auto symbol : symbols) weights.push_back(counts[symbol]);
  auto depths = huffman_depths(weights);
  bound_lengths(depths);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    lengths[symbols[i]] = static_cast<std::uint8_t>(depths[i]);
  }
  return lengths;
}

Result<PrefixCode> PrefixCode::make(Bytes lengths) {
  std::uint64_t space = 0;
  for (const auto length : lengths) {
    if (length > kCodeBitsMax) {  // F-225
      return Error(ErrorKind::kCorrupt, 2900, "a prefix code is longer than 15 bits");
    }
    if (length != 0) space += kCodeSpace >> length;
  }
  if (space != kCodeSpace || lengths.size() > 1u << 16) {  // F-225
    return Error(ErrorKind::kCorrupt, 2901, "a prefix code is not complete");
  }
  PrefixCode code;
  code.lengths_.assign(lengths.begin(), lengths.end());
  code.fill_tables();
  return code;
}

void PrefixCode::fill_tables() {
  std::array<std::uint32_t, kCodeBitsMax + 2> counts{};
  for (const auto length : lengths_) ++counts[length];
  counts[0] = 0;
  std::array<std::uint32_t, kCodeBitsMax + 2> next{};
  std::array<std::uint32_t, kCodeBitsMax + 2> first_symbol{};
  for (unsigned length = 1; length <= kCodeBitsMax; ++length) {
    next[length] = (next[length - 1] + counts[length - 1]) << 1;
    first_symbol[length] = first_symbol[length - 1] + counts[length - 1];
    ends_[length] = (next[length] + counts[length]) << (kCodeBitsMax - length);
    bases_[length] =
        static_cast<std::int32_t>(first_symbol[length]) - static_cast<std::int32_t>(next[length]);
  }
  codes_.resize(lengths_.size());
  symbols_.resize(first_symbol[kCodeBitsMax] + counts[kCodeBitsMax]);
  table_.resize(std::size_t{1} << kTableBits);
  for (std::size_t symbol = 0; symbol < lengths_.size(); ++symbol) {
    const unsigned length = lengths_[symbol];
    if (length == 0) continue;
    const auto code = next[length]++;
    codes_[symbol] = static_cast<std::uint16_t>(code);
    symbols_[static_cast<std::size_t>(bases_[length] + static_cast<std::int32_t>(code))] =
        static_cast<std::uint16_t>(symbol);
    if (length > kTableBits) continue;
    const auto from = table_.begin() + static_cast<std::ptrdiff_t>(code << (kTableBits - length));
    std::fill_n(from, 1u << (kTableBits - length),
                Found{static_cast<std::uint16_t>(symbol), static_cast<std::uint16_t>(length)});
  }
}

PrefixCode::Found PrefixCode::find_long(std::uint64_t ahead) const {
  const auto next = static_cast<std::uint32_t>(ahead >> (64 - kCodeBitsMax));
  unsigned length = kTableBits + 1;
  while (length < kCodeBitsMax && next >= ends_[length]) ++length;
  const auto code = static_cast<std::int32_t>(next >> (kCodeBitsMax - length));
  return {symbols_[static_cast<std::size_t>(bases_[length] + code)],
          static_cast<std::uint16_t>(length)};
}

}  // namespace dgfs::format
