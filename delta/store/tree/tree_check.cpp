// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/tree_check.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "delta/store/filter/filter_check.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_parts.h"
#include "delta/store/tree/node.h"

namespace dgfs::delta {
namespace {

constexpr const char* kSection = "blocks";

Error violation(std::uint16_t code, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text);
}

class Walk {
 public:
  Walk(std::unique_ptr<storage::File> file, std::uint64_t file_bytes, const TreeWalk& how,
       ValueCheck& values, Damage& damage)
      : path_(file->path()),
        file_bytes_(file_bytes),
        file_(std::move(file)),
        cache_(0),
        how_(how),
        values_(values),
        damage_(damage),
        filter_(file_, how.filter, how.born_object) {}

  Result<TreeReport> run(const Place& root) {
    Slot slot;
    slot.child =
        std::make_shared<const Stored<Node>>(root, static_cast<std::size_t>(root.length_bytes));
    DGFS_CHECK(load_filter());
    DGFS_CHECK(descend(slot, std::nullopt, {"", std::nullopt}));
    // Comes last, so that an overlap with the tree does not keep the tree from being checked.
    for (const Place& block : filter_.blocks()) {
      DGFS_TRY(is_sound, mark(block));
      static_cast<void>(is_sound);
    }
    DGFS_CHECK(check_space());
    report_.used_bytes = file_.space().used_bytes();
    report_.free_bytes = file_.space().free_bytes();
    report_.large_values = values_.values();
    report_.large_value_bytes = values_.value_bytes();
    return report_;
  }

 private:
  Status load_filter() {
    auto found = filter_.load(how_.reads_runs);
    for (Error& error : found) {
      DGFS_CHECK(damage_.add(std::move(error)));
    }
    report_.filter_stages = filter_.table().stages.size();
    report_.filter_ranges = filter_.table().ranges.size();
    for (const auto& stage : filter_.table().stages) report_.filter_prefixes += stage.count;
    for (const Place& block : filter_.blocks()) {
      report_.filter_bytes += block.length_bytes;
      if (how_.reads_runs) {
        DGFS_CHECK(note_read(block));
      }
    }
    return ok();
  }

  /// Compares the maps with the space found in use, if all of it could be read; then marks the
  /// blocks of the maps.
  Status check_space() {
    if (how_.space.empty()) return ok();
    const auto told = read_space_maps(file_, how_.space);
    if (!told) {
      DGFS_CHECK(damage_.add(told.error()));
    } else if (damage_.places() == 0 && values_.is_open()) {
      DGFS_CHECK(compare(told.value().blocks, file_.free_space(),
                         "the map of blocks and the tree disagree on free space"));
      DGFS_CHECK(compare(told.value().values, values_.free_space(),
                         "the map of large values and the tree disagree on free space"));
    }
    for (const Place& block : {how_.space.blocks, how_.space.values}) {
      report_.space_bytes += block.length_bytes;
      DGFS_CHECK(note_read(block));
      DGFS_TRY(is_sound, mark(block));
      static_cast<void>(is_sound);
    }
    return ok();
  }

  Status compare(const FreeSpace& told, const FreeSpace& found, const char* text) {
    if (told == found) return ok();
    const auto [a, b] = std::ranges::mismatch(told.stretches(), found.stretches());
    auto at = std::min(told.end_bytes(), found.end_bytes());
    if (a != told.stretches().end()) at = std::min(at, a->offset_bytes);
    if (b != found.stretches().end()) at = std::min(at, b->offset_bytes);
    return tell(violation(7158, text), {at, 0, 0});
  }

  [[nodiscard]] BlockSource source() { return {&file_, &cache_, nullptr}; }

  /// @param height  of the node that has the slot; none: the slot has the root
  Status descend(const Slot& slot, std::optional<unsigned> height, const KeyRange& range) {
    const Place place = *slot.child->place();
    DGFS_TRY(is_sound, mark(place));
    // A node that is not sound is not walked: so no block is walked twice, and the walk ends.
    if (!is_sound) {
      ++report_.unread_nodes;
      return ok();
    }
    report_.node_bytes += place.length_bytes;
    auto node = height ? load_child(*height, slot, source()) : slot.child->load(source());
    DGFS_CHECK(note_read(place));
    if (!node) {
      ++report_.unread_nodes;
      return tell(std::move(node).error(), place);
    }
    ++report_.nodes;
    if (!height) report_.height = node.value()->height();
    return walk(*node.value(), place, range);
  }

  Status walk(const Node& node, const Place& place, const KeyRange& range) {
    for (std::size_t i = 0; i < node.slots().size(); ++i) {
      const Slot& slot = node.slots()[i];
      KeyRange own = node.range_of(i, range);
      if (own.empty()) {
        DGFS_CHECK(tell(violation(7080, "slots out of order"), place));
        own = {"", std::nullopt};  // its keys are unknown
      }
      DGFS_CHECK(check_runs(slot, own));
      if (slot.child) {
        DGFS_CHECK(descend(slot, node.height(), own));
      }
    }
    return ok();
  }

  Status check_runs(const Slot& slot, const KeyRange& range) {
    for (const auto& run : slot.runs) {
      ++report_.waiting_runs;
      report_.waiting_bytes += run->place()->length_bytes;
      DGFS_TRY(loaded, check(run, range));
      report_.waiting_points += loaded->size();
      report_.waiting_tombstones += loaded->tombstones().size();
    }
    if (slot.basement) {
      ++report_.basements;
      report_.basement_bytes += slot.basement->place()->length_bytes;
      DGFS_TRY(loaded, check(slot.basement, range));
      report_.basement_points += loaded->size();
    }
    return ok();
  }

  /// The run; empty if it is not to be read or cannot be read.
  Result<RunRef> check(const StoredRun& stored, const KeyRange& range) {
    const Place place = *stored->place();
    DGFS_TRY(is_sound, mark(place));
    DGFS_CHECK(values_.mark(stored->values()));
    if (!is_sound || !how_.reads_runs) return empty_run();
    const auto block = file_.read(place);
    const auto run = block ? unpacked(block.value(), *stored) : Result<RunRef>(block.error());
    if (run) {
      DGFS_CHECK(check(run.value(), *stored, range));
      DGFS_CHECK(check_pages(run.value(), *stored, block.value()));
      DGFS_CHECK(values_.read(*run.value()));
    } else {
      DGFS_CHECK(tell(run.error(), place));
    }
    DGFS_CHECK(note_read(place));
    return run ? run.value() : empty_run();
  }

  Result<RunRef> unpacked(Bytes block, const TreeRun& stored) const {
    auto run = Run::unpack(block, stored.size_bytes());
    if (!run) return file_.at_place(run.error(), stored.place()->offset_bytes);
    return run;
  }

  Status check(const RunRef& run, const TreeRun& stored, const KeyRange& range) {
    const Place place = *stored.place();
    if (run->size_bytes() != stored.size_bytes()) {
      DGFS_CHECK(tell(violation(7081, "a run is not as large as its node says"), place));
    }
    if (clipped(run, range) != run) {
      DGFS_CHECK(tell(violation(7082, "a run has keys outside of its slot"), place));
    }
    if (run->values() != stored.values()) {
      DGFS_CHECK(tell(violation(7093, "a run has other large values than its node says"), place));
    }
    if (!stored.filter().lets_through(*run)) {
      DGFS_CHECK(tell(violation(7095, "a run has keys that its filter denies"), place));
    }
    if (!filter_.lets_through(*run)) {
      DGFS_CHECK(tell(violation(7186, "a run has keys of objects that the filter denies"), place));
    }
    if (run->tombstones().empty() == stored.has_tombstones()) {
      DGFS_CHECK(tell(violation(7099, "a run and its node disagree on range tombstones"), place));
    }
    return ok();
  }

  // Checks that each page has the same content as the run in the page's range. Together the pages
  // cover all keys.
  /// @param block  of the run, which was read; its pages lie within it, as decoding the node has
  ///               checked
  Status check_pages(const RunRef& run, const TreeRun& stored, Bytes block) {
    for (std::size_t i = 0; i < stored.pages().size(); ++i) {
      const auto page = stored.pages()[i];
      const Place place = stored.place_of(i);
      const auto bytes = block.subspan(static_cast<std::size_t>(page.offset_bytes),
                                       static_cast<std::size_t>(page.length_bytes));
      if (auto checked = file_.check(place, bytes); !checked) {
        return tell(std::move(checked).error(), place);
      }
      const auto alone = unpack_page(bytes, stored.size_bytes());
      if (!alone) return tell(file_.at_place(alone.error(), place.offset_bytes), place);
      if (*alone.value() != *clipped(run, stored.pages().range(i)) ||
          alone.value()->tombstones().empty() == page.has_tombstones) {
        return tell(violation(7097, "a run has other pages than its node says"), *stored.place());
      }
    }
    return ok();
  }

  /// Whether a block lies in the file and overlaps no earlier one.
  Result<bool> mark(const Place& place) {
    Status marked = ok();
    if (place.length_bytes > file_bytes_ || place.offset_bytes > file_bytes_ - place.length_bytes) {
      marked = violation(7083, "a block lies beyond the end of the file");
    } else {
      marked = file_.mark(place.extent());
    }
    if (marked) return true;
    DGFS_CHECK(tell(std::move(marked).error(), place));
    return false;
  }

  Status note_read(const Place& place) {
    read_bytes_ += place.length_bytes;
    if (!how_.visit || how_.visit(report_, read_bytes_ + values_.read_bytes())) return ok();
    return Error(ErrorKind::kInterrupted, 7084, "interrupted");
  }

  Status tell(Error error, const Place& place) {
    return damage_.add(
        std::move(error).in_file(path_).in_section(kSection).at_offset(place.offset_bytes));
  }

  const std::string path_;
  const std::uint64_t file_bytes_;
  BlockFile file_;
  BlockCache cache_;
  const TreeWalk& how_;
  ValueCheck& values_;
  Damage& damage_;
  FilterCheck filter_;
  TreeReport report_;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace

Result<TreeReport> check_tree(std::unique_ptr<storage::File> file, const Place& root,
                              const TreeWalk& walk, ValueCheck& values, Damage& damage) {
  DGFS_TRY(file_bytes, file->size());
  return Walk(std::move(file), file_bytes, walk, values, damage).run(root);
}

}  // namespace dgfs::delta
