// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What several runs say together. Where none has fragments, all are gone through at once: each
// point is copied once, however many runs there are.
#include <algorithm>
#include <array>
#include <utility>

#include "delta/tree/run_builder.h"

namespace dgfs::delta {
namespace {

// Puts the points of two runs into one.
class PointMerge {
 public:
  /// @param fragments  of both
  PointMerge(const Run& older, const Run& newer, const Fragments& fragments)
      : older_(older), newer_(newer), fragments_(fragments) {}

  RunBuilder run(RunBuilder builder) {
    builder_ = std::move(builder);
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

// Puts the points of many runs into one, none of which has fragments.
class ManyMerge {
 public:
  explicit ManyMerge(const std::vector<RunRef>& runs) {
    builder_.reserve_for(runs);
    for (std::size_t age = runs.size(); age-- > 0;) {
      if (runs[age]->size() != 0) heads_.push_back({runs[age].get(), age, 0, runs[age]->point(0)});
    }
    std::ranges::make_heap(heads_, is_later);
  }

  RunRef run() {
    while (!heads_.empty()) add_next();
    return builder_.take();
  }

 private:
  struct Head {
    const Run* run;
    std::size_t age;  // the newest run has the highest
    std::size_t at;
    Point point;
  };

  // Of one key the newest comes first.
  static bool is_later(const Head& a, const Head& b) {
    const auto order = a.point.key <=> b.point.key;
    return order != 0 ? order > 0 : a.age < b.age;
  }
  Point take_next() {
    std::ranges::pop_heap(heads_, is_later);
    Head& head = heads_.back();
    const Point point = head.point;
    if (++head.at < head.run->size()) {
      head.point = head.run->point(head.at);
      std::ranges::push_heap(heads_, is_later);
    } else {
      heads_.pop_back();
    }
    return point;
  }
  [[nodiscard]] bool is_next(std::string_view key) const {
    return !heads_.empty() && heads_.front().point.key == key;
  }
  void add_next() {
    const Point newest = take_next();
    if (newest.is_final() || !is_next(newest.key)) {
      builder_.add(newest);
    } else {
      Message message = newest.message();
      while (!message.is_final() && is_next(newest.key)) {
        message = composed(take_next().message(), std::move(message));
      }
      builder_.add(newest.key, std::move(message));
    }
    while (is_next(newest.key)) take_next();
  }

  RunBuilder builder_;
  std::vector<Head> heads_;  // a heap
};

}  // namespace

RunRef merged(const RunRef& older, const RunRef& newer) {
  if (newer->empty()) return older;
  if (older->empty()) return newer;
  Fragments fragments = older->fragments();
  fragments.add(newer->fragments());
  RunBuilder builder;
  builder.reserve_for(std::array{older, newer});
  auto points = PointMerge(*older, *newer, fragments).run(std::move(builder));
  return points.take(std::move(fragments));
}

RunRef merged(std::vector<RunRef> runs) {
  const auto has_fragments = [](const RunRef& run) { return !run->fragments().empty(); };
  if (runs.size() > 2 && std::ranges::none_of(runs, has_fragments)) return ManyMerge(runs).run();
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

}  // namespace dgfs::delta
