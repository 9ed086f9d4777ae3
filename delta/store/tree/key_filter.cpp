// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/key_filter.h"

#include <algorithm>

#include "format/checksum.h"

namespace dgfs::delta {
namespace {

// A false answer of any run on the way of a lookup costs a needless read. 6 probes give one false
// answer in 550; 10, the optimum, would give one in 830. With ten bits a key it was one in 120, and
// lookups of missing keys took twice as long (docs/BENCHMARKS.md).
constexpr std::size_t kBitsOfKey = 14;
constexpr int kLooks = 6;

// Calls use(number of the bit) for each probe, until it returns false. The probes derive from two
// hashes (A. Kirsch and M. Mitzenmacher, "Less Hashing, Same Performance", 2006).
template <class Use>
bool each_look(std::uint64_t hash, std::size_t bytes, Use use) {
  auto place = static_cast<std::uint32_t>(hash);
  const auto step = static_cast<std::uint32_t>(hash >> 32) | 1U;
  for (int i = 0; i < kLooks; ++i, place += step) {
    if (!use(static_cast<std::size_t>(std::uint64_t{place} * (bytes * 8) >> 32))) return false;
  }
  return true;
}

}  // namespace

KeyFilter::KeyFilter(const Run& run) {
  bits_.resize(std::max((run.size() * kBitsOfKey + 7) / 8, std::size_t{1}));
  for (const Point point : run.points()) {
    each_look(hash(point.key), bits_.size(), [this](std::size_t bit) {
      bits_[bit / 8] = static_cast<std::uint8_t>(bits_[bit / 8] | 1U << bit % 8);
      return true;
    });
  }
}

std::uint64_t KeyFilter::hash(std::string_view key) { return format::checksum64(as_bytes(key)); }

bool KeyFilter::may_have(std::uint64_t hash) const {
  return bits_.empty() || each_look(hash, bits_.size(), [this](std::size_t bit) {
           return (bits_[bit / 8] >> bit % 8 & 1U) != 0;
         });
}

bool KeyFilter::lets_through(const Run& run) const {
  return std::ranges::all_of(run.points(),
                             [this](const Point& point) { return may_have(hash(point.key)); });
}

}  // namespace dgfs::delta
