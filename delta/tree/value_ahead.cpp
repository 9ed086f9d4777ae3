// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/value_ahead.h"

#include <algorithm>

namespace dgfs::delta {
namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 20;
constexpr std::size_t kGrowth = 2;  // values ahead for each that was read

const LargeValue* large_of(const Point& point) {
  return point.boxed != nullptr ? point.boxed->large.get() : nullptr;
}

void announce(const Run& run, std::size_t at, const BlockFile& volume) {
  const LargeValue* large = large_of(run.point(at));
  const auto place = large != nullptr ? large->place() : std::nullopt;
  if (place) volume.announce(place->extent());
}

}  // namespace

void ValueAhead::visit(const Run& run, std::size_t at, bool backward, const BlockFile& volume) {
  const LargeValue* large = large_of(run.point(at));
  if (large == nullptr) return;
  const std::uint64_t values_max = kBytesMax / std::max<std::uint64_t>(1, large->length_bytes());
  const auto ahead = std::min<std::size_t>(kGrowth * asked_, values_max);
  ++asked_;
  if (backward) {
    const auto begin = at - std::min(at, ahead);
    for (auto next = std::min(at, begin_); next > begin; --next) announce(run, next - 1, volume);
    begin_ = std::min(begin_, begin);
  } else {
    const auto end = std::min(run.size(), at + 1 + ahead);
    for (auto next = std::max(at + 1, end_); next < end; ++next) announce(run, next, volume);
    end_ = std::max(end_, end);
  }
}

}  // namespace dgfs::delta
