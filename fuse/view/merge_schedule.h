// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// MergeSchedule: merges the delta of a mount unasked, at a size, and removes later what merges had
// to leave to other processes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "delta/merge/live/live_merge.h"
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

  /// Starts the thread. Errors: kLimit (no thread available).
  [[nodiscard]] Status start();
  /// What the thread does when it looks: begins a merge, if one is due; once a minute removes what
  /// nothing reads any more. A merge that could not make the delta small enough, because a state
  /// must stay, is tried again once the delta has grown by a quarter of the size, or after ten
  /// minutes. After each failure in a row it takes twice as much or as long.
  void look() noexcept;

 private:
  void run();
  [[nodiscard]] std::uint64_t delta_bytes() const;
  void merge_if_due();
  void note_end(const merge::MergeStatus& status, std::uint64_t bytes);
  void remove_rest();

  storage::Env& env_;
  merge::LiveMerge& merge_;
  const delta::DeltaDirectory& delta_;
  const std::uint64_t bytes_;
  std::uint64_t merges_ = 0;       ///< MergeStatus::merges when it was seen to have ended
  std::uint64_t bytes_after_ = 0;  ///< of the delta then
  std::uint64_t ended_ns_ = 0;     ///< when that was; 0: there was none
  unsigned failures_ = 0;          ///< of merges, in a row
  std::uint64_t retry_ = 0;        ///< MergeStatus::merges of the last one after a failure; 0: none
  std::uint64_t removed_ns_ = 0;   ///< when it last looked for what to remove
  std::mutex mutex_;               ///< guards what follows
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace dgfs::fuse
