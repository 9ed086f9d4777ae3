// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run_parts.h"

#include <algorithm>
#include <utility>

#include "delta/store/message/overlay.h"
#include "delta/store/run/object_key.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_cuts.h"

namespace dgfs::delta {

RunRef clipped(const RunRef& run, const KeyRange& range) {
  const auto begin = run->lower_bound(range.begin);
  const auto end = range.end ? std::max(begin, run->lower_bound(*range.end)) : run->size();
  auto tombstones = run->tombstones().clipped(range);
  if (begin == 0 && end == run->size() && tombstones == run->tombstones()) return run;
  RunBuilder points;
  points.reserve_for({{run.get(), begin, end}});
  points.add(*run, begin, end);
  return points.take(std::move(tombstones));
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

RunRef with_tombstones_over_older(const RunRef& run, std::uint64_t born_object) {
  if (run->tombstones().empty() || born_object == UINT64_MAX) return run;
  RunBuilder points;
  points.reserve_for({{run.get(), 0, run->size()}});
  points.add(*run, 0, run->size());
  return points.take(over_older_objects(run->tombstones(), born_object));
}

RunRef settled(const RunRef& run, std::uint64_t born_object) {
  const auto has_work = [born_object](const Point& point) {
    return point.kind != MessageKind::kPut &&
           (point.kind == MessageKind::kErase || is_young(point.key, born_object));
  };
  if (std::ranges::none_of(run->points(), has_work)) {
    return with_tombstones_over_older(run, born_object);
  }
  RunBuilder points;
  points.reserve_for({{run.get(), 0, run->size()}});
  for (const Point point : run->points()) {
    if (!has_work(point)) {
      points.add(point);
    } else if (Message last = over_nothing(point.message()); last.kind == MessageKind::kPut) {
      points.add(point.key, std::move(last));
    }
  }
  return points.take(over_older_objects(run->tombstones(), born_object));
}

}  // namespace dgfs::delta
