// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TreeRun: a run that a node refers to, with what the node knows of it.
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

/// What it has in the extent volume stands in the node, too: a run that goes without being read
/// takes its large values with it. So does its filter: a run that has nothing to say of a key need
/// not be read for it. And so do its pages: one that has is not read as a whole. Thread-safe.
class TreeRun : public Stored<Run> {
 public:
  /// What is not on disk yet. Its large values must be bound.
  explicit TreeRun(const RunRef& run)
      : Stored(run), about_{run->values(), KeyFilter(*run), !run->tombstones().empty()} {}
  /// What a node knows of a run, wherever it is.
  struct About {
    std::vector<Extent> values;  ///< of its large values
    KeyFilter filter;            ///< of its points
    bool has_tombstones = false;
  };
  TreeRun(const Place& place, std::size_t size_bytes, About about, RunPages pages = {})
      : Stored(place, size_bytes), about_(std::move(about)), pages_(std::move(pages)) {}

  /// False: it says nothing of a key, and need not be read for it.
  /// @param hash  of the key
  [[nodiscard]] bool may_say(std::string_view key, std::uint64_t hash) const;

  /// The part that has a key; of a run in memory all. One page is read at most, if it has pages.
  /// Errors: as of load().
  /// @param key     none: the end of all keys, with `before`
  /// @param before  the part that has the keys right before `key` instead
  [[nodiscard]] Result<KnownRange> load_part(const KeyEnd& key, bool before,
                                             const BlockSource& source) const;
  /// Whether a reader has had any of it since its node was read.
  [[nodiscard]] bool was_read() const { return was_read_.load(std::memory_order_relaxed); }
  /// A reader has all of it.
  void note_read() const { was_read_.store(true, std::memory_order_relaxed); }
  /// What load_part() would have to read; none: it is in memory.
  [[nodiscard]] std::optional<Extent> unread_part(const KeyEnd& key, bool before) const;
  /// It has been written there. Once, by the thread that makes checkpoints.
  void set_place(const Place& place, RunPages pages, const BlockSource& source) const;

  [[nodiscard]] const std::vector<Extent>& values() const { return about_.values; }
  [[nodiscard]] const KeyFilter& filter() const { return about_.filter; }
  [[nodiscard]] bool has_tombstones() const { return about_.has_tombstones; }
  /// Of one that has been written.
  [[nodiscard]] const RunPages& pages() const { return pages_; }
  /// Of a page, of one that has been written.
  /// @param page  below pages().size()
  [[nodiscard]] Place place_of(std::size_t page) const;

 private:
  [[nodiscard]] std::size_t page_of(const KeyEnd& key, bool before) const {
    return before ? pages_.find_before(key) : pages_.find(*key);
  }
  [[nodiscard]] Result<KnownRange> load_page(std::size_t page, const BlockSource& source) const;

  About about_;
  mutable std::atomic<bool> was_read_{false};
  /// Whoever finds that it is no longer in memory finds them set.
  mutable RunPages pages_;
  mutable std::mutex page_lock_;
  mutable std::vector<std::weak_ptr<const Run>> read_pages_;  ///< empty before the first one
};
using StoredRun = std::shared_ptr<const TreeRun>;

[[nodiscard]] inline StoredRun make_run(const RunRef& run) {
  return std::make_shared<const TreeRun>(run);
}

}  // namespace dgfs::delta
