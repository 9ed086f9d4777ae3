// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MergePace: keeps a merge quiet. It bounds the rate of its bytes, pauses it while others wait, and
// stops it before the disk is full.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "builder/options.h"
#include "storage/env.h"

namespace dgfs::merge {

/// How a merge gives way. A value.
struct PaceOptions {
  std::uint64_t bytes_per_second = 0;  ///< of contents that it packs; 0: no bound
  /// Whether others wait for the merge now, which pauses until they do not, or for nine tenths of
  /// the time. May be empty.
  std::function<bool()> others_wait;
  /// Whether others have work for processor and disk now. While they have, the merge pauses for
  /// half of the time. May be empty.
  std::function<bool()> others_work;
  /// Free bytes of the disk; the merge stops below `free_bytes_min`. May be empty.
  std::function<std::uint64_t()> free_bytes;
  std::uint64_t free_bytes_min = 0;
};

/// The calls that note something are for one thread, pass() is for one, the others for any.
class MergePace {
 public:
  /// @param env  whose clock it uses; must outlive the object
  MergePace(storage::Env& env, PaceOptions options) : env_(env), options_(std::move(options)) {}

  /// Notes the progress of the build.
  void note(const builder::Progress& now);
  /// The base is complete, and is to be put in its place.
  void note_made() { advance_to(kMadePercent); }
  /// The base is in its place, and what it has replaced is gone or left to others.
  void note_end() { advance_to(kWholePercent); }
  /// Call it before contents are read: sleeps as long as the merge is to wait.
  void pass(std::uint64_t bytes);
  /// Ends the merge at its next step, and any sleep.
  void stop() { is_stopped_ = true; }
  /// BuildOptions::stop.
  [[nodiscard]] const std::atomic<bool>& stop_flag() const { return is_stopped_; }
  /// Whether the merge was stopped because the disk has too little space.
  [[nodiscard]] bool is_disk_full() const { return is_disk_full_; }

  [[nodiscard]] std::uint64_t done_bytes() const { return done_bytes_; }
  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }
  /// 0 to 100, of the whole merge.
  [[nodiscard]] unsigned percent() const { return percent_; }
  /// The time for which others have held it up.
  [[nodiscard]] std::uint64_t waited_ns() const { return waited_ns_; }

 private:
  static constexpr unsigned kMadePercent = 99;
  static constexpr unsigned kWholePercent = 100;

  void advance_to(std::uint64_t percent);
  void look_at_disk();
  void give_way();
  void share();
  void keep_rate();
  void sleep();

  storage::Env& env_;
  const PaceOptions options_;
  // Of pass():
  std::uint64_t passed_bytes_ = 0;
  std::uint64_t looked_bytes_ = 0;      ///< of these, before the last look at the disk
  std::uint64_t packing_since_ns_ = 0;  ///< without pauses; 0: contents are not packed yet
  std::uint64_t working_since_ns_ = 0;  ///< the end of the last pause; 0: there was none
  std::atomic<bool> is_stopped_ = false;
  std::atomic<bool> is_disk_full_ = false;
  std::atomic<std::uint64_t> done_bytes_ = 0;
  std::atomic<std::uint64_t> total_bytes_ = 0;
  std::atomic<unsigned> percent_ = 0;
  std::atomic<std::uint64_t> waited_ns_ = 0;
};

}  // namespace dgfs::merge
