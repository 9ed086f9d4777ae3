// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MergeSchedule: merges the delta of a mount unasked, at a size.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "delta/merge/live_merge.h"
#include "delta/store/directory/delta_directory.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// One thread makes and destroys it.
class MergeSchedule {
 public:
  /// All must outlive it.
  /// @param bytes  of layers and live store together, at which a merge begins; 0: never
  MergeSchedule(storage::Env& env, merge::LiveMerge& merge, const delta::DeltaDirectory& delta,
                std::uint64_t bytes)
      : env_(env), merge_(merge), delta_(delta), bytes_(bytes) {}
  /// Leaves a merge that is under way.
  ~MergeSchedule();
  MergeSchedule(const MergeSchedule&) = delete;
  MergeSchedule& operator=(const MergeSchedule&) = delete;

  /// Starts the thread, if there is anything to do. Errors: kLimit (no thread available).
  [[nodiscard]] Status start();
  /// What the thread does when it looks: begins a merge, if one is due. A merge that could not make
  /// the delta small enough, because a state must stay or the disk is full, is tried again once the
  /// delta has grown by a quarter of the size, or after ten minutes.
  void look() noexcept;

 private:
  void run();
  [[nodiscard]] std::uint64_t delta_bytes() const;

  storage::Env& env_;
  merge::LiveMerge& merge_;
  const delta::DeltaDirectory& delta_;
  const std::uint64_t bytes_;
  std::uint64_t merge_number_ = 0;  ///< of the last merge that it has begun
  std::uint64_t bytes_after_ = 0;   ///< of the delta, when it had ended
  std::uint64_t ended_ns_ = 0;      ///< when it was seen to have ended; 0: there was none
  std::mutex mutex_;                ///< guards what follows
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace dgfs::fuse
