// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Walks: decides which names of a listing come without an inode. The kernel makes an inode for each
// name that comes with a node id, which takes most of the time of a cold walk by names.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "fuse/statistics/request_counters.h"
#include "fuse/walk/bare_listings.h"
#include "fuse/walk/listing_dropper.h"
#include "fuse/walk/walkers.h"

namespace dgfs::fuse {

/// Thread-safe. Only files may be bare: a walk opens the directories that it finds. All calls cost
/// below a microsecond, except the one that finds that listings must be dropped.
class Walks {
 public:
  using InodeNumber = format::InodeNumber;

  /// @param counters  must outlive the object
  explicit Walks(RequestCounters& counters) : counters_(counters) {}

  // One of these two begins; until then all listings are whole.

  /// The kernel keeps listings.
  /// @param drop  see ListingDropper::start(); if it cannot start, all listings stay whole
  void start(ListingDropper::Drop drop) noexcept { is_on_ = dropper_.start(std::move(drop)); }
  /// The kernel keeps no listings.
  void start() noexcept {
    keeps_listings_ = false;
    is_on_ = true;
  }
  void stop() noexcept { dropper_.stop(); }

  /// A walker asks for a part of a directory.
  /// @param parent  of the directory, if the part is its beginning
  [[nodiscard]] ListingPlan plan(Walkers::Id walker, InodeNumber directory,
                                 std::optional<InodeNumber> parent, std::uint64_t now_ns);
  /// Call it before the reply: it has these probes and so many bare names. Throws std::bad_alloc.
  void gave(Walkers::Id walker, InodeNumber directory, std::span<const InodeNumber> probes,
            std::size_t bare_names);

  /// How many listings the kernel is still to forget.
  [[nodiscard]] std::size_t to_drop() const { return dropper_.size(); }

  /// Somebody asks for the attributes of an object.
  void saw_attributes(InodeNumber inode);
  /// Somebody looks up a file in a directory. Throws std::bad_alloc.
  void saw_lookup(InodeNumber directory, InodeNumber inode);

 private:
  RequestCounters& counters_;
  bool keeps_listings_ = true;  ///< constant once begun
  std::atomic<bool> is_on_ = false;
  std::atomic<bool> has_probes_ = false;
  std::atomic<bool> has_bare_names_ = false;
  std::mutex mutex_;
  Walkers walkers_;    // guarded by mutex_
  BareListings bare_;  // guarded by mutex_
  ListingDropper dropper_;
};

}  // namespace dgfs::fuse
