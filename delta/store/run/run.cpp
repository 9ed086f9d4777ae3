// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run.h"

#include <algorithm>

#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_cuts.h"

namespace dgfs::delta {
std::optional<Point> Run::find(std::string_view key) const {
  const auto at = lower_bound(key);
  if (at < size() && this->key(items_[at]) == key) return point(at);
  return fragments_.covers(key) ? std::optional(Point{key, MessageKind::kDelete, {}, nullptr})
                                : std::nullopt;
}

std::size_t Run::lower_bound(std::string_view key, std::size_t begin, std::size_t end) const {
  const auto at =
      std::ranges::lower_bound(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                               items_.begin() + static_cast<std::ptrdiff_t>(end), key, {},
                               [this](const Item& item) { return this->key(item); });
  return static_cast<std::size_t>(at - items_.begin());
}

Point Run::point(std::size_t at) const {
  const Item& item = items_[at];
  Point point{key(item), item.kind, {}, nullptr};
  if (item.is_boxed) {
    point.boxed = &boxed_[item.value_bytes];
  } else {
    point.value = {point.key.data() + point.key.size(), item.value_bytes};
  }
  return point;
}

std::vector<Extent> Run::values() const {
  std::vector<Extent> all;
  for (const Message& message : boxed_) {
    if (message.large) all.push_back(message.large->place()->extent());
  }
  return all;
}

bool operator==(const Run& a, const Run& b) {
  return std::ranges::equal(a.points(), b.points()) && a.fragments_ == b.fragments_;
}

RunRef empty_run() {
  static const RunRef run = RunBuilder().take();
  return run;
}

RunRef clipped(const RunRef& run, const KeyRange& range) {
  const auto begin = run->lower_bound(range.begin);
  const auto end = range.end ? std::max(begin, run->lower_bound(*range.end)) : run->size();
  auto fragments = run->fragments().clipped(range);
  if (begin == 0 && end == run->size() && fragments == run->fragments()) return run;
  RunBuilder points;
  points.reserve_for({{run.get(), begin, end}});
  points.add(*run, begin, end);
  return points.take(std::move(fragments));
}

std::vector<RunSlice> cut(const RunRef& run, std::uint64_t bytes_max) {
  const auto parts = std::max<std::uint64_t>((run->size_bytes() + bytes_max - 1) / bytes_max, 1);
  if (parts == 1) return {{"", run}};
  std::vector<RunSlice> slices;
  std::string low;
  for (RunCut& cut : cuts_of(*run, static_cast<std::size_t>(run->size_bytes() / parts))) {
    slices.push_back({low, clipped(run, {low, cut.low})});
    low = std::move(cut.low);
  }
  slices.push_back({low, clipped(run, {low, std::nullopt})});
  return slices;
}

RunRef without_fragments(const RunRef& run) {
  if (run->fragments().empty()) return run;
  RunBuilder points;
  points.reserve_for({{run.get(), 0, run->size()}});
  points.add(*run, 0, run->size());
  return points.take();
}

RunRef settled(const RunRef& run) {
  const auto is_put = [](const Point& point) { return point.kind == MessageKind::kPut; };
  if (run->fragments().empty() && std::ranges::all_of(run->points(), is_put)) return run;
  RunBuilder points;
  points.reserve_for({{run.get(), 0, run->size()}});
  for (const Point point : run->points()) {
    if (point.kind == MessageKind::kPatch) {
      points.add(point.key, over_nothing(point.message()));
    } else if (is_put(point)) {
      points.add(point);
    }
  }
  return points.take();
}

}  // namespace dgfs::delta
