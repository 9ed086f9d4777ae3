// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/run.h"

#include <algorithm>
#include <utility>

#include "delta/tree/run_builder.h"

namespace dgfs::delta {
namespace {

// Puts the points of two runs into one.
class PointMerge {
 public:
  /// @param fragments  of both
  PointMerge(const Run& older, const Run& newer, const Fragments& fragments)
      : older_(older), newer_(newer), fragments_(fragments) {
    builder_.reserve_more(older);
    builder_.reserve_more(newer);
  }

  RunBuilder run() {
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < older_.size() && b < newer_.size()) {
      const Point older = older_.point(a);
      const Point newer = newer_.point(b);
      const auto order = older.key <=> newer.key;
      if (order == 0) {
        add_both(older, newer);
      } else if (order < 0) {
        add_older(older);
      } else {
        add_newer(newer);
      }
      if (order <= 0) ++a;
      if (order >= 0) ++b;
    }
    for (; a < older_.size(); ++a) add_older(older_.point(a));
    for (; b < newer_.size(); ++b) add_newer(newer_.point(b));
    return std::move(builder_);
  }

 private:
  void add_both(const Point& older, const Point& newer) {
    if (newer.is_final()) {
      add(newer);
    } else {
      builder_.add(newer.key, composed(older.message(), newer.message()));
    }
  }
  void add_older(const Point& older) {
    if (!newer_.fragments().covers(older.key)) add(older);
  }
  void add_newer(const Point& newer) {
    if (newer.is_final() || !older_.fragments().covers(newer.key)) {
      add(newer);
    } else {
      builder_.add(newer.key, over_nothing(newer.message()));
    }
  }
  // What a fragment says need not be said twice.
  void add(const Point& point) {
    if (point.kind == MessageKind::kDelete && fragments_.covers(point.key)) return;
    builder_.add(point);
  }

  const Run& older_;
  const Run& newer_;
  const Fragments& fragments_;
  RunBuilder builder_;
};

}  // namespace

std::optional<Point> Run::find(std::string_view key) const {
  const auto at = lower_bound(key);
  if (at < size() && this->key(items_[at]) == key) return point(at);
  return fragments_.covers(key) ? std::optional(Point{key, MessageKind::kDelete, {}, nullptr})
                                : std::nullopt;
}

std::size_t Run::lower_bound(std::string_view key) const {
  const auto at = std::ranges::lower_bound(items_, key, {},
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

RunRef merged(const RunRef& older, const RunRef& newer) {
  if (newer->empty()) return older;
  if (older->empty()) return newer;
  Fragments fragments = older->fragments();
  fragments.add(newer->fragments());
  auto points = PointMerge(*older, *newer, fragments).run();
  return points.take(std::move(fragments));
}

RunRef merged(std::vector<RunRef> runs) {
  // Neighbours first, so that no message is merged more than log2(number of runs) times.
  while (runs.size() > 1) {
    std::vector<RunRef> fewer;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      fewer.push_back(merged(runs[i], runs[i + 1]));
    }
    if (runs.size() % 2 != 0) fewer.push_back(std::move(runs.back()));
    runs = std::move(fewer);
  }
  return std::move(runs.front());
}

RunRef clipped(const RunRef& run, const KeyRange& range) {
  const auto begin = run->lower_bound(range.begin);
  const auto end = range.end ? std::max(begin, run->lower_bound(*range.end)) : run->size();
  auto fragments = run->fragments().clipped(range);
  if (begin == 0 && end == run->size() && fragments == run->fragments()) return run;
  RunBuilder points;
  points.add(*run, begin, end);
  return points.take(std::move(fragments));
}

RunRef without_fragments(const RunRef& run) {
  if (run->fragments().empty()) return run;
  RunBuilder points;
  points.add(*run, 0, run->size());
  return points.take();
}

RunRef settled(const RunRef& run) {
  const auto is_put = [](const Point& point) { return point.kind == MessageKind::kPut; };
  if (run->fragments().empty() && std::ranges::all_of(run->points(), is_put)) return run;
  RunBuilder points;
  points.reserve_more(*run);
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
