// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeRun: a run that a node refers to, with the facts about it that the node stores.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "delta/store/run/run.h"
#include "delta/store/run/run_pages.h"
#include "delta/store/tree/key_filter.h"
#include "delta/store/tree/stored.h"

namespace dgfs::delta {

/// The node stores the extents of its large values: a run that is dropped unread takes its large
/// values with it. The node stores its filter: a run without a message for a key need not be read.
/// And the node stores its pages: a run that has pages is not read as a whole. Thread-safe.
class TreeRun : public Stored<Run> {
 public:
  /// A run that is not on disk yet. Its large values must be bound.
  explicit TreeRun(const RunRef& run)
      : Stored(run), about_{run->values(), KeyFilter(*run), !run->tombstones().empty()} {}
  /// What a node stores about a run, wherever the run is.
  struct About {
    std::vector<Extent> values;  ///< of its large values
    KeyFilter filter;            ///< of its points
    bool has_tombstones = false;
  };
  TreeRun(const Place& place, std::size_t size_bytes, About about, RunPages pages = {})
      : Stored(place, size_bytes), about_(std::move(about)), pages_(std::move(pages)) {}

  /// False: the run has no message for a key, and need not be read.
  /// @param hash  of the key
  [[nodiscard]] bool may_say(std::string_view key, std::uint64_t hash) const;

  /// The part that has a key; of a run in memory, all of it. Reads at most one page if the run has
  /// pages.
  /// Errors: as of load().
  /// @param key     none: the end of all keys, with `before`
  /// @param before  the part that has the keys right before `key` instead
  [[nodiscard]] Result<KnownRange> load_part(const KeyEnd& key, bool before,
                                             const BlockSource& source) const;
  /// Whether a reader has read any of it since its node was read.
  [[nodiscard]] bool was_read() const { return was_read_.load(std::memory_order_relaxed); }
  /// A reader has read all of it.
  void note_read() const { was_read_.store(true, std::memory_order_relaxed); }
  /// The extent that load_part() would read; none: it is in memory.
  [[nodiscard]] std::optional<Extent> unread_part(const KeyEnd& key, bool before) const;
  /// The run has been written there. Called once, by the thread that makes checkpoints.
  void set_place(const Place& place, RunPages pages, const BlockSource& source) const;

  [[nodiscard]] const std::vector<Extent>& values() const { return about_.values; }
  [[nodiscard]] const KeyFilter& filter() const { return about_.filter; }
  [[nodiscard]] bool has_tombstones() const { return about_.has_tombstones; }
  /// For a run that has been written.
  [[nodiscard]] const RunPages& pages() const { return pages_; }
  /// The place of a page, of a run that has been written.
  /// @param page  below pages().size()
  [[nodiscard]] Place place_of(std::size_t page) const;

 private:
  [[nodiscard]] std::size_t page_of(const KeyEnd& key, bool before) const {
    return before ? pages_.find_before(key) : pages_.find(*key);
  }
  [[nodiscard]] Result<KnownRange> load_page(std::size_t page, const BlockSource& source) const;

  About about_;
  mutable std::atomic<bool> was_read_{false};
  /// Set before the run is dropped from memory, so a reader that has to read it sees them.
  mutable RunPages pages_;
  mutable std::mutex page_lock_;
  mutable std::vector<std::weak_ptr<const Run>> read_pages_;  ///< empty before the first read
};
using StoredRun = std::shared_ptr<const TreeRun>;

[[nodiscard]] inline StoredRun make_run(const RunRef& run) {
  return std::make_shared<const TreeRun>(run);
}

}  // namespace dgfs::delta
