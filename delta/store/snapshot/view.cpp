// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/view.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/store/message/overlay.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_merge.h"
#include "delta/store/run/run_parts.h"

namespace dgfs::delta {
namespace {

// Collects the messages for a key from the newest level down.
class Finder {
 public:
  Finder(std::string_view key, Message newer)
      : key_(key), hash_(KeyFilter::hash(key)), said_(std::move(newer)) {}

  [[nodiscard]] bool is_done() const { return said_.is_final(); }
  void look_into(const Run& run) {
    if (const auto older = run.find(key_)) said_.add_older(older->message());
  }
  void look_into(const ImmutableMemtable& table) {
    if (auto older = table.find(key_)) said_.add_older(*std::move(older));
  }
  Status look_into(const StoredRun& run, const BlockSource& source) {
    if (!run->may_say(key_, hash_)) return ok();
    DGFS_TRY(part, run->load_part(std::string(key_), false, source));
    look_into(*part.run);
    return ok();
  }
  // From the newest run on.
  Status look_into(const std::vector<StoredRun>& runs, const BlockSource& source) {
    for (auto run = runs.rbegin(); run != runs.rend() && !is_done(); ++run) {
      DGFS_CHECK(look_into(*run, source));
    }
    return ok();
  }
  Message take() { return said_.take(); }

 private:
  std::string_view key_;
  std::uint64_t hash_;
  Overlay said_;
};

// Detects the first read of a leaf's basements, and then announces the other runs of the leaf that
// later reads will need. If the filter excludes the key, a lookup reads no basement.
class FirstRead {
 public:
  FirstRead(const Node& leaf, const StoredRun& basement) : leaf_(leaf), basement_(*basement) {
    const auto was_read = [](const Slot& slot) {
      return slot.basement && slot.basement->was_read();
    };
    is_next_ = !basement->was_read() && std::ranges::none_of(leaf.slots(), was_read);
  }
  void announce_more(const BlockSource& source) const {
    if (is_next_ && basement_.was_read()) announce_index_of_values(leaf_, source);
  }

 private:
  const Node& leaf_;
  const TreeRun& basement_;
  bool is_next_;
};

// The slot that has the keys right before `key`.
std::size_t slot_before(const Node& node, const KeyEnd& key) {
  if (!key) return node.slots().size() - 1;
  const auto at = node.find(*key);
  return at > 0 && node.slots()[at].low == *key ? at - 1 : at;
}

KeyRange common(const KeyRange& a, const KeyRange& b) {
  return {std::max(a.begin, b.begin), ends_before(b.end, a.end) ? b.end : a.end};
}

// Above this number of points, runs are read as a whole: pages are so small that a scan would start
// a new one every few keys.
constexpr std::size_t kPointsByPage = 64;

// Collects the runs of all levels, the newest first, for a range that gets narrower.
class SliceMaker {
 public:
  SliceMaker(const KeyEnd& key, bool before, std::size_t points_max)
      : key_(key), before_(before), points_max_(points_max) {}

  void narrow(const KeyRange& range) { range_ = common(range_, range); }
  // True if older levels need not be read, because a range tombstone covers the slice; then its
  // range is that of the slice.
  [[nodiscard]] bool add(RunRef run) {
    const auto& tombstones = run->tombstones();
    const auto tombstone = before_ ? tombstones.find_before(key_) : tombstones.find(*key_);
    const bool is_covered = tombstone != tombstones.end();
    if (is_covered) narrow({tombstone->first, tombstone->second});
    runs_.push_back(std::move(run));
    return is_covered;
  }
  // The same for a table: adds only a part of it, unless it is a run already.
  [[nodiscard]] bool add(const ImmutableMemtable& table) {
    auto part = table.part(key_, before_, points_max_);
    paged_ = common(paged_, part.range);
    return add(std::move(part.run));
  }
  // The same for a run on disk: adds only a page if few keys are wanted.
  [[nodiscard]] Result<bool> add(const StoredRun& run, const BlockSource& source) {
    if (points_max_ > kPointsByPage) {
      DGFS_TRY(loaded, run->load(source));
      run->note_read();
      return add(std::move(loaded));
    }
    DGFS_TRY(part, run->load_part(key_, before_, source));
    paged_ = common(paged_, part.range);
    return add(std::move(part.run));
  }
  [[nodiscard]] Result<bool> add(const std::vector<StoredRun>& runs, const BlockSource& source) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      DGFS_TRY(is_covered, add(*run, source));
      if (is_covered) return true;
    }
    return false;
  }
  // Announces all reads of a slot together; otherwise each would wait for the one before.
  void announce(const Slot& slot, const BlockSource& source) const {
    if (points_max_ > kPointsByPage) return;
    std::vector<Extent> unread;
    const auto note = [&](const StoredRun& run) {
      if (const auto extent = run->unread_part(key_, before_)) unread.push_back(*extent);
    };
    std::ranges::for_each(slot.runs, note);
    if (slot.basement) note(slot.basement);
    if (slot.child && !slot.child->is_in_memory()) {
      unread.push_back(slot.child->place()->extent());
    }
    if (unread.size() < 2) return;
    for (const Extent& extent : unread) source.file->announce(extent);
  }
  [[nodiscard]] KeySlice take() {
    KeySlice slice;
    slice.is_cut_before = range_.begin < paged_.begin;
    slice.is_cut_behind = ends_before(paged_.end, range_.end);
    narrow(paged_);
    cut(slice);
    slice.run = merged_runs();
    slice.range = std::move(range_);
    return slice;
  }

 private:
  [[nodiscard]] RunPart part_of(const Run& run) const {
    const auto begin = run.lower_bound(range_.begin);
    return {&run, begin, range_.end ? std::max(begin, run.lower_bound(*range_.end)) : run.size()};
  }

  // A reader of ten keys need not wait until a whole basement is merged. Each run counts: the one
  // with the most points may have few of them near the key.
  void cut(KeySlice& slice) {
    std::vector<RunPart> parts;
    for (const RunRef& run : runs_) {
      const auto part = part_of(*run);
      if (part.size() != 0) parts.push_back(part);
    }
    if (parts.size() < 2) return;
    for (const RunPart& part : parts) {
      if (part.size() > points_max_) cut_at(part, slice);
    }
  }

  // Leaves only the points of the part that are nearest to the key.
  void cut_at(const RunPart& part, KeySlice& slice) {
    const auto at = key_ ? part.run->lower_bound(*key_) : part.end;
    const auto begin = before_ ? at - std::min(at - part.begin, points_max_) : at;
    const auto end = before_ ? at : at + std::min(part.end - at, points_max_);
    if (begin > part.begin) {
      narrow({before_ ? std::string(part.run->point(begin).key) : *key_, std::nullopt});
      slice.is_cut_before = true;
    }
    if (end < part.end) {
      narrow({"", before_ ? *key_ : std::string(part.run->point(end).key)});
      slice.is_cut_behind = true;
    }
  }

  // A single run is not copied if all of it is wanted.
  [[nodiscard]] RunRef merged_runs() const {
    std::vector<RunRef> runs = {empty_run()};
    std::vector<RunPart> parts;
    bool has_tombstones = false;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      const auto part = part_of(**run);
      const bool has_some = (*run)->tombstones().overlaps(range_);
      if (part.size() == 0 && !has_some) continue;
      has_tombstones |= has_some;
      parts.push_back(part);
      runs.push_back(*run);
    }
    if (parts.size() > 1 && !has_tombstones) return merged_points(parts);
    for (RunRef& run : runs) run = clipped(run, range_);
    return merged(std::move(runs));
  }

  KeyEnd key_;
  bool before_;
  std::size_t points_max_;
  KeyRange range_{"", std::nullopt};
  KeyRange paged_{"", std::nullopt};  // covered by all pages and parts of tables
  std::vector<RunRef> runs_;          // the newest first
};

}  // namespace

Result<Message> find(const TreeView& view, std::string_view key, Message newer,
                     const BlockSource& source) {
  Finder finder(key, std::move(newer));
  for (auto table = view.tables.rbegin(); table != view.tables.rend(); ++table) {
    if (finder.is_done()) break;
    finder.look_into(**table);
  }
  if (finder.is_done()) return finder.take();
  DGFS_TRY(node, view.root->load(source));
  while (true) {
    const auto at = node->find(key);
    const Slot& slot = node->slots()[at];
    DGFS_CHECK(finder.look_into(slot.runs, source));
    if (!finder.is_done() && slot.basement) {
      const FirstRead first(*node, slot.basement);
      DGFS_CHECK(finder.look_into(slot.basement, source));
      first.announce_more(source);
    }
    if (finder.is_done() || node->height() == 0) return finder.take();
    DGFS_TRY(child, load_child(node->height(), slot, source));
    node = std::move(child);
  }
}

Result<KeySlice> slice_at(const TreeView& view, const KeyEnd& key, bool before,
                          std::size_t points_max, const BlockSource& source,
                          const ReadAhead& ahead) {
  SliceMaker maker(key, before, points_max);
  for (auto table = view.tables.rbegin(); table != view.tables.rend(); ++table) {
    if (maker.add(**table)) return maker.take();
  }
  const auto slot_at = [&](const Node& node) {
    return before ? slot_before(node, key) : node.find(*key);
  };
  KeyRange range{"", std::nullopt};
  DGFS_TRY(node, view.root->load(source));
  while (true) {
    const auto at = slot_at(*node);
    const Slot& slot = node->slots()[at];
    range = node->range_of(at, range);
    maker.narrow(range);
    maker.announce(slot, source);
    DGFS_TRY(is_covered, maker.add(slot.runs, source));
    if (is_covered) return maker.take();
    if (node->height() == 0) {
      ahead.visit_leaf(*node, at, source);
      if (slot.basement) {
        const FirstRead first(*node, slot.basement);
        DGFS_CHECK(maker.add(slot.basement, source));
        first.announce_more(source);
      }
      return maker.take();
    }
    DGFS_TRY(child, load_child(node->height(), slot, source));
    ahead.visit_inner(*node, at, *child, slot_at(*child), source);
    node = std::move(child);
  }
}

}  // namespace dgfs::delta
