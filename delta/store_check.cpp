// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store_check.h"

#include <utility>

#include "delta/tree/editor.h"
#include "delta/tree/node.h"

namespace dgfs::delta {
namespace {

class Walk {
 public:
  Walk(BlockFile& file, BlockFile& extents, StoreReport& report)
      : file_(file), extents_(extents), report_(report), cache_(0) {}

  Status run(const Place& root) {
    DGFS_CHECK(file_.mark(root.extent()));
    const Stored<Node> stored(root, static_cast<std::size_t>(root.length_bytes));
    DGFS_TRY(node, stored.load(source()));
    report_.height = node->height();
    DGFS_CHECK(walk(*node, {"", std::nullopt}));
    report_.used_bytes = file_.space().used_bytes();
    report_.free_bytes = file_.space().free_bytes();
    return ok();
  }

  // Of the tree, or of a group of the log.
  Status check_values(const Run& run) {
    for (const Point& point : run.points()) {
      if (!point.message.large) continue;
      DGFS_CHECK(extents_.mark(point.message.large->place()->extent()));
      DGFS_CHECK(point.message.large->load(extents_));
      ++report_.large_values;
      report_.large_bytes += point.message.large->length_bytes();
    }
    return ok();
  }

 private:
  [[nodiscard]] BlockSource source() { return {&file_, &cache_, nullptr}; }

  Status walk(const Node& node, const KeyRange& range) {
    ++report_.nodes;
    for (std::size_t i = 0; i < node.slots().size(); ++i) {
      const Slot& slot = node.slots()[i];
      const KeyRange own = node.range_of(i, range);
      if (own.empty()) return misplaced(7080, "slots out of order");
      for (const auto& run : slot.runs) {
        DGFS_TRY(loaded, check(run, own));
        ++report_.waiting_runs;
        report_.waiting_points += loaded->points().size();
        report_.waiting_fragments += loaded->fragments().size();
      }
      if (slot.basement) {
        DGFS_TRY(loaded, check(slot.basement, own));
        ++report_.basements;
        report_.basement_points += loaded->points().size();
      }
      if (node.height() == 0) continue;
      DGFS_CHECK(file_.mark(slot.child->place()->extent()));
      DGFS_TRY(child, load_child(node.height(), slot, source()));
      DGFS_CHECK(walk(*child, own));
    }
    return ok();
  }

  Result<RunRef> check(const StoredRun& stored, const KeyRange& range) {
    DGFS_CHECK(file_.mark(stored->place()->extent()));
    DGFS_TRY(run, stored->load(source()));
    if (run->size_bytes() != stored->size_bytes()) {
      return misplaced(7081, "a run is not as large as its node says");
    }
    if (*clipped(*run, range) != *run) {
      return misplaced(7082, "a run has keys that are not its slot's");
    }
    if (run->values() != stored->values()) {
      return misplaced(7083, "a run has other large values than its node says");
    }
    DGFS_CHECK(check_values(*run));
    return run;
  }

  [[nodiscard]] static Error misplaced(std::uint16_t code, const char* text) {
    return Error(ErrorKind::kCorrupt, code, text).in_section("blocks");
  }

  BlockFile& file_;
  BlockFile& extents_;
  StoreReport& report_;
  BlockCache cache_;
};

}  // namespace

Result<StoreReport> check_store(storage::Env& env, const std::string& directory) {
  StoreReport report;
  DGFS_TRY(superblocks, env.open(directory + "/store"));
  DGFS_TRY(superblock, read_superblock(*superblocks));
  report.superblock = superblock;
  DGFS_TRY(blocks, env.open(directory + "/blocks"));
  BlockFile file(std::move(blocks));
  DGFS_TRY(extents, env.open(directory + "/extents"));
  BlockFile values(std::move(extents), "extents");
  Walk walk(file, values, report);
  DGFS_CHECK(walk.run(superblock.root));
  DGFS_TRY(log, Log::open(env, directory, superblock.parameters.segment_bytes, superblock.store));
  DGFS_CHECK(log->replay(superblock.log, [&](const Run& run, std::uint64_t sequence) {
    if (sequence <= superblock.sequence) return Status(ok());
    ++report.log_groups;
    return walk.check_values(run);
  }));
  return report;
}

}  // namespace dgfs::delta
