// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/tree/view.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "delta/tree/editor.h"

namespace dgfs::delta {
namespace {

// Over what is found further down goes what was found before.
class Finder {
 public:
  Finder(std::string_view key, Message newer)
      : key_(key), hash_(KeyFilter::hash(key)), message_(std::move(newer)) {}

  [[nodiscard]] bool is_done() const { return message_.is_final(); }
  void look_into(const Run& run) {
    if (const auto older = run.find(key_)) {
      message_ = composed(older->message(), std::move(message_));
    }
  }
  void look_into(const FrozenTable& table) {
    if (const auto older = table.find(key_)) message_ = composed(*older, std::move(message_));
  }
  Status look_into(const StoredRun& run, const BlockSource& source) {
    if (!run->filter().may_have(hash_)) return ok();
    DGFS_TRY(loaded, run->load(source));
    look_into(*loaded);
    return ok();
  }
  // The newest first.
  Status look_into(const std::vector<StoredRun>& runs, const BlockSource& source) {
    for (auto run = runs.rbegin(); run != runs.rend() && !is_done(); ++run) {
      DGFS_CHECK(look_into(*run, source));
    }
    return ok();
  }
  Message take() { return std::move(message_); }

 private:
  std::string_view key_;
  std::uint64_t hash_;
  Message message_;
};

// The slot of the keys before `key`.
std::size_t slot_before(const Node& node, const KeyEnd& key) {
  if (!key) return node.slots().size() - 1;
  const auto at = node.find(*key);
  return at > 0 && node.slots()[at].low == *key ? at - 1 : at;
}

// Collects the runs of the levels, the newest first, in a range that becomes narrower.
class SliceMaker {
 public:
  SliceMaker(const KeyEnd& key, bool before, std::size_t points_max)
      : key_(key), before_(before), points_max_(points_max) {}

  void narrow(const KeyRange& range) {
    range_.begin = std::max(range_.begin, range.begin);
    if (ends_before(range.end, range_.end)) range_.end = range.end;
  }
  // True if what is older need not be asked: a fragment covers it, whose range is the slice's.
  [[nodiscard]] bool add(RunRef run) {
    const auto& fragments = run->fragments();
    const auto fragment = before_ ? fragments.find_before(key_) : fragments.find(*key_);
    const bool is_covered = fragment != fragments.end();
    if (is_covered) narrow({fragment->first, fragment->second});
    runs_.push_back(std::move(run));
    return is_covered;
  }
  [[nodiscard]] Result<bool> add(const std::vector<StoredRun>& runs, const BlockSource& source) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      DGFS_TRY(loaded, (*run)->load(source));
      if (add(std::move(loaded))) return true;
    }
    return false;
  }
  [[nodiscard]] KeySlice take() {
    KeySlice slice;
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

  // Whoever wants ten keys need not wait for all that a basement has to be merged.
  void cut(KeySlice& slice) {
    RunPart longest;
    std::size_t parts = 0;
    for (const RunRef& run : runs_) {
      const auto part = part_of(*run);
      if (part.size() != 0) ++parts;
      if (part.size() > longest.size()) longest = part;
    }
    if (parts < 2 || longest.size() <= points_max_) return;
    const auto at = key_ ? longest.run->lower_bound(*key_) : longest.end;
    const auto begin = before_ ? at - std::min(at - longest.begin, points_max_) : at;
    const auto end = before_ ? at : at + std::min(longest.end - at, points_max_);
    if (begin > longest.begin) {
      range_.begin = before_ ? std::string(longest.run->point(begin).key) : *key_;
      slice.is_cut_before = true;
    }
    if (end < longest.end) {
      range_.end = before_ ? *key_ : std::string(longest.run->point(end).key);
      slice.is_cut_behind = true;
    }
  }

  // A run that has something to say alone is not copied, if all of it is wanted.
  [[nodiscard]] RunRef merged_runs() const {
    std::vector<RunRef> runs = {empty_run()};
    std::vector<RunPart> parts;
    bool has_fragments = false;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      const auto part = part_of(**run);
      const bool has_some = (*run)->fragments().overlaps(range_);
      if (part.size() == 0 && !has_some) continue;
      has_fragments |= has_some;
      parts.push_back(part);
      runs.push_back(*run);
    }
    if (parts.size() > 1 && !has_fragments) return merged_points(parts);
    for (RunRef& run : runs) run = clipped(run, range_);
    return merged(std::move(runs));
  }

  KeyEnd key_;
  bool before_;
  std::size_t points_max_;
  KeyRange range_{"", std::nullopt};
  std::vector<RunRef> runs_;  // the newest first
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
      DGFS_CHECK(finder.look_into(slot.basement, source));
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
    if (maker.add((*table)->run())) return maker.take();
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
    DGFS_TRY(is_covered, maker.add(slot.runs, source));
    if (is_covered) return maker.take();
    if (node->height() == 0) {
      ahead.visit_leaf(*node, at, source);
      if (slot.basement) {
        DGFS_TRY(basement, slot.basement->load(source));
        static_cast<void>(maker.add(std::move(basement)));
      }
      return maker.take();
    }
    DGFS_TRY(child, load_child(node->height(), slot, source));
    ahead.visit_inner(*node, at, *child, slot_at(*child), source);
    node = std::move(child);
  }
}

}  // namespace dgfs::delta
