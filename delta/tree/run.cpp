// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/run.h"

#include <algorithm>

namespace dgfs::delta {
namespace {

// Collects the points of a merge in order.
class PointMerge {
 public:
  PointMerge(const Run& older, const Run& newer) : older_(older), newer_(newer) {
    points_.reserve(older.points().size() + newer.points().size());
  }

  std::vector<Point> take() {
    auto a = older_.points().begin();
    auto b = newer_.points().begin();
    while (a != older_.points().end() || b != newer_.points().end()) {
      const bool has_a =
          b == newer_.points().end() || (a != older_.points().end() && a->key <= b->key);
      const bool has_b =
          a == older_.points().end() || (b != newer_.points().end() && b->key <= a->key);
      if (has_a && has_b) {
        add_both(*a++, *b++);
      } else if (has_a) {
        add_older(*a++);
      } else {
        add_newer(*b++);
      }
    }
    return std::move(points_);
  }

 private:
  void add_both(const Point& older, const Point& newer) {
    points_.push_back({newer.key, composed(older.message, newer.message)});
  }
  void add_older(const Point& older) {
    if (!newer_.fragments().covers(older.key)) points_.push_back(older);
  }
  void add_newer(const Point& newer) {
    if (newer.message.is_final() || !older_.fragments().covers(newer.key)) {
      points_.push_back(newer);
    } else {
      points_.push_back({newer.key, over_nothing(newer.message)});
    }
  }

  const Run& older_;
  const Run& newer_;
  std::vector<Point> points_;
};

}  // namespace

Run::Run(std::vector<Point> points, Fragments fragments)
    : points_(std::move(points)), fragments_(std::move(fragments)) {
  size_bytes_ = fragments_.size_bytes();
  for (const Point& point : points_) size_bytes_ += point.size_bytes();
}

const Message* Run::find(std::string_view key) const {
  const auto point = lower_bound(key);
  if (point != points_.end() && point->key == key) return &point->message;
  return fragments_.covers(key) ? &Message::removal() : nullptr;
}

std::vector<Point>::const_iterator Run::lower_bound(std::string_view key) const {
  return std::ranges::lower_bound(points_, key, {},
                                  [](const Point& point) { return std::string_view(point.key); });
}

std::vector<Extent> Run::values() const {
  std::vector<Extent> all;
  for (const Point& point : points_) {
    if (point.message.large) all.push_back(point.message.large->place()->extent());
  }
  return all;
}

RunRef empty_run() { return std::make_shared<const Run>(std::vector<Point>(), Fragments()); }

RunRef merged(const RunRef& older, const RunRef& newer) {
  if (newer->empty()) return older;
  if (older->empty()) return newer;
  auto points = PointMerge(*older, *newer).take();
  Fragments fragments = older->fragments();
  fragments.add(newer->fragments());
  // What a fragment says need not be said twice.
  if (!fragments.empty()) {
    std::erase_if(points, [&](const Point& point) {
      return point.message.kind == MessageKind::kDelete && fragments.covers(point.key);
    });
  }
  return std::make_shared<const Run>(std::move(points), std::move(fragments));
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

RunRef clipped(const Run& run, const KeyRange& range) {
  const auto begin = run.lower_bound(range.begin);
  const auto end = range.end ? run.lower_bound(*range.end) : run.points().end();
  return std::make_shared<const Run>(
      begin < end ? std::vector<Point>(begin, end) : std::vector<Point>(),
      run.fragments().clipped(range));
}

RunRef settled(const Run& run) {
  std::vector<Point> points;
  for (const Point& point : run.points()) {
    if (point.message.kind == MessageKind::kDelete) continue;
    points.push_back({point.key, over_nothing(point.message)});
  }
  return std::make_shared<const Run>(std::move(points), Fragments());
}

}  // namespace dgfs::delta
