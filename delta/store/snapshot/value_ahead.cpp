// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/value_ahead.h"

#include <algorithm>

namespace dgfs::delta {
namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 20;
constexpr std::size_t kGrowth = 2;  // values ahead for each one that was read

// Length of all large values of a point.
std::uint64_t length_of(const Point& point) {
  std::uint64_t bytes = 0;
  if (point.boxed == nullptr) return bytes;
  visit_large(*point.boxed, [&](const LargeRef& large) { bytes += large->length_bytes(); });
  return bytes;
}

void announce(const Point& point, const BlockFile& volume) {
  if (point.boxed == nullptr) return;
  visit_large(*point.boxed, [&](const LargeRef& large) {
    if (const auto extent = large->extent()) volume.announce(*extent);
  });
}

// The points of a run in the order in which a cursor reaches them.
class Way {
 public:
  Way(const Run& run, bool backward) : run_(run), backward_(backward) {}

  [[nodiscard]] std::size_t length() const { return run_.size(); }
  /// Number in that order of a point of the run; the mapping is its own inverse.
  [[nodiscard]] std::size_t step(std::size_t at) const {
    return backward_ ? run_.size() - 1 - at : at;
  }
  [[nodiscard]] Point point(std::size_t step) const { return run_.point(this->step(step)); }

 private:
  const Run& run_;
  bool backward_;
};

}  // namespace

void ValueAhead::visit(const Run& run, std::size_t at, bool backward, const BlockFile& volume) {
  const Way way(run, backward);
  const auto here = way.step(at);
  if (length_of(way.point(here)) == 0) return;
  ++asked_;
  if (!has_waited_) return;
  for (; next_ <= here && next_ < end_; ++next_) bytes_ -= length_of(way.point(next_));
  next_ = std::max(next_, here + 1);
  end_ = std::max(end_, next_);
  const auto end_max = std::min(way.length(), next_ + kGrowth * (asked_ - 1));
  for (; end_ < end_max; ++end_) {
    const Point point = way.point(end_);
    const auto length = length_of(point);
    if (bytes_ + length > kBytesMax) break;
    bytes_ += length;
    announce(point, volume);
  }
}

}  // namespace dgfs::delta
