// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// If no run has range tombstones, all runs are merged in one pass: each point is copied once,
// however many runs there are.
#include "delta/store/run/run_merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "delta/store/message/overlay.h"
#include "delta/store/run/run_builder.h"

namespace dgfs::delta {
namespace {

// Merges the points of two runs.
class PointMerge {
 public:
  /// @param tombstones  of both
  PointMerge(const Run& older, const Run& newer, const RangeTombstones& tombstones)
      : older_(older), newer_(newer), tombstones_(tombstones) {}

  RunBuilder run(RunBuilder builder) {
    builder_ = std::move(builder);
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < older_.size() && b < newer_.size()) {
      const Point older = older_.point(a);
      const Point newer = newer_.point(b);
      const auto order = older.key <=> newer.key;
      if (order < 0) {
        add_older(older);
      } else {
        add_newer(newer, order == 0 ? &older : nullptr);
      }
      if (order <= 0) ++a;
      if (order >= 0) ++b;
    }
    for (; a < older_.size(); ++a) add_older(older_.point(a));
    for (; b < newer_.size(); ++b) add_newer(newer_.point(b), nullptr);
    return std::move(builder_);
  }

 private:
  void add_older(const Point& older) {
    if (!newer_.tombstones().covers(older.key)) add(older);
  }
  /// @param older  with the same key; null: the older run has none
  void add_newer(const Point& newer, const Point* older) {
    if (newer.is_final() || (older == nullptr && !older_.tombstones().covers(newer.key))) {
      add(newer);
      return;
    }
    Overlay said(newer.message());
    if (older != nullptr) {
      said.add_older(older->message());
    } else {
      said.add_nothing_older();
    }
    builder_.add(newer.key, said.take());
  }
  // Drops removals that a range tombstone covers.
  void add(const Point& point) {
    if (is_needless_over_nothing(point.kind) && tombstones_.covers(point.key)) return;
    builder_.add(point);
  }

  const Run& older_;
  const Run& newer_;
  const RangeTombstones& tombstones_;
  RunBuilder builder_;
};

// Merges points of parts of many runs, without range tombstones.
class ManyMerge {
 public:
  explicit ManyMerge(const std::vector<RunPart>& parts) {
    builder_.reserve_for(parts);
    for (std::size_t age = parts.size(); age-- > 0;) {
      if (parts[age].size() != 0) heads_.push_back({parts[age], age, first_of(parts[age])});
    }
    std::ranges::make_heap(heads_, is_later);
  }

  RunRef run() {
    while (!heads_.empty()) add_next();
    return builder_.take();
  }

 private:
  struct Head {
    RunPart rest;     // not taken yet
    std::size_t age;  // highest for the newest run
    Point point;      // first of the rest
  };

  static Point first_of(const RunPart& part) { return part.run->point(part.begin); }
  // For equal keys the newest comes first.
  static bool is_later(const Head& a, const Head& b) {
    const auto order = a.point.key <=> b.point.key;
    return order != 0 ? order > 0 : a.age < b.age;
  }
  // Number of points of the part before `key`; at least one. Usually few, so it searches
  // exponentially from the front, and then by bisection.
  static std::size_t points_before(const RunPart& part, std::string_view key) {
    std::size_t known = 1;
    std::size_t end = 2;
    while (end <= part.size() && part.run->point(part.begin + end - 1).key < key) {
      known = end;
      end *= 2;
    }
    end = std::min(end, part.size());
    return part.run->lower_bound(key, part.begin + known, part.begin + end) - part.begin;
  }

  // Removes the first head from the heap, and puts it behind the heap.
  Head& pop() {
    std::ranges::pop_heap(heads_, is_later);
    return heads_.back();
  }
  // Skips points of the popped head, and puts the rest back into the heap.
  void skip(std::size_t points) {
    Head& head = heads_.back();
    head.rest.begin += points;
    if (head.rest.size() == 0) {
      heads_.pop_back();
      return;
    }
    head.point = first_of(head.rest);
    std::ranges::push_heap(heads_, is_later);
  }
  Point take_next() {
    const Point point = pop().point;
    skip(1);
    return point;
  }
  [[nodiscard]] bool is_next(std::string_view key) const {
    return !heads_.empty() && heads_.front().point.key == key;
  }

  void add_next() {
    const Head& head = pop();
    const bool is_last = heads_.size() == 1;
    if (is_last || head.point.key != heads_.front().point.key) {
      const auto count =
          is_last ? head.rest.size() : points_before(head.rest, heads_.front().point.key);
      builder_.add(*head.rest.run, head.rest.begin, head.rest.begin + count);
      skip(count);
    } else {
      const Point newest = head.point;
      skip(1);
      add_all_of(newest);
    }
  }
  void add_all_of(const Point& newest) {
    if (newest.is_final()) {
      builder_.add(newest);
    } else {
      Overlay said(newest.message());
      while (!said.is_final() && is_next(newest.key)) said.add_older(take_next().message());
      builder_.add(newest.key, said.take());
    }
    while (is_next(newest.key)) take_next();
  }

  RunBuilder builder_;
  std::vector<Head> heads_;  // a heap
};

bool has_tombstones(const RunRef& run) { return !run->tombstones().empty(); }
RunPart whole(const RunRef& run) { return {run.get(), 0, run->size()}; }

}  // namespace

RunRef merged_points(const std::vector<RunPart>& parts) { return ManyMerge(parts).run(); }

RunRef merged(const RunRef& older, const RunRef& newer) {
  if (newer->empty()) return older;
  if (older->empty()) return newer;
  if (!has_tombstones(older) && !has_tombstones(newer)) {
    return merged_points({whole(older), whole(newer)});
  }
  RangeTombstones tombstones = older->tombstones();
  tombstones.add(newer->tombstones());
  RunBuilder builder;
  builder.reserve_for({whole(older), whole(newer)});
  auto points = PointMerge(*older, *newer, tombstones).run(std::move(builder));
  return points.take(std::move(tombstones));
}

RunRef merged(std::vector<RunRef> runs) {
  if (runs.size() > 2 && std::ranges::none_of(runs, has_tombstones)) {
    std::vector<RunPart> parts;
    for (const RunRef& run : runs) parts.push_back(whole(run));
    return merged_points(parts);
  }
  // Merges neighbours first, so that no message is merged more than log2(number of runs) times.
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

}  // namespace dgfs::delta
