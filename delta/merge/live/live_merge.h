// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveMerge: merges layers of a delta into a new base while a view of it is used. A thread of its
// own packs the base at idle priority.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "delta/merge/live/idle_work.h"
#include "delta/merge/live/live_slot.h"
#include "delta/merge/live/merge_pace.h"
#include "delta/merge/merge_outcome.h"
#include "delta/merge/merge_request.h"
#include "delta/view/view.h"
#include "reader/open_options.h"
#include "storage/env.h"

namespace dgfs::merge {

/// What the merges of a view need. A value.
struct LiveMergeOptions {
  std::string directory;                  ///< of the delta
  std::string image_path;                 ///< of its image, or of its base
  std::string own_image_path;             ///< of its own image, for the manifest; may be empty
  std::vector<std::string> volume_paths;  ///< as of reader::OpenOptions
  reader::OpenOptions base;               ///< how the view opens a new base; shares its caches
  std::size_t memory_bytes = std::size_t{32} << 20;  ///< for buffers and caches of a merge
  std::uint64_t bytes_per_second = 0;                ///< as of PaceOptions
  std::function<bool()> others_work;                 ///< likewise
  /// Called in the thread of the merge when one begins, ends, or is given up. May be empty.
  std::function<void(const std::string&)> tell;
  LiveSlot* slot = nullptr;  ///< shared with joins of the view; must outlive the merges
};

/// Why a merge begins.
enum class MergeCause : std::uint8_t {
  kUser,
  kSize,   ///< -o merge=SIZE
  kRetry,  ///< the same again, since the last one failed. It merges the layers that are there, so
           ///< that failures add none, and tells the same reason only once
};

/// How far the merge is. A value.
struct MergeStatus {
  bool is_running = false;
  bool is_dry_run = false;
  unsigned percent = 0;
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t waited_ns = 0;  ///< for others
  std::uint64_t number = 0;     ///< of merges and dry runs that were begun so far
  std::uint64_t merges = 0;     ///< of these, no dry runs
  bool has_failed = false;      ///< the last of these; a cancelled one has not
  /// Of the last merge, once it has ended; neither: there was none.
  std::optional<MergeOutcome> outcome;
  std::optional<Error> error;
};

/// Thread-safe.
class LiveMerge {
 public:
  /// A merge leaves so many bytes of the disk free, or gives up.
  static constexpr std::uint64_t kFreeBytesMin = std::uint64_t{16} << 20;

  /// All must outlive it.
  LiveMerge(storage::Env& env, view::View& view, delta::DeltaDirectory& delta,
            LiveMergeOptions options);
  /// Gives up a merge that is under way.
  ~LiveMerge();
  LiveMerge(const LiveMerge&) = delete;
  LiveMerge& operator=(const LiveMerge&) = delete;

  /// Begins a merge, and returns its MergeStatus::number. A dry run that is under way is given up
  /// for it. Errors: kBusy (one is under way), kLimit (no thread or memory available). Other errors
  /// of the merge are in status(), once it has ended.
  [[nodiscard]] Result<std::uint64_t> start(const MergeRequest& request,
                                            MergeCause cause = MergeCause::kUser);
  [[nodiscard]] MergeStatus status() const;
  /// Gives up the merge that is under way, and returns whether there was one. It ends soon after,
  /// unless its base is in place already.
  bool cancel();
  /// Waits until no merge is under way.
  void wait();

  /// Removes what merges have left because other processes read it, if these have ended. Cost:
  /// without such files none, else a look at the directory.
  void remove_rest() noexcept;

 private:
  void run(const MergeRequest& request, MergeCause cause, MergePace& pace) noexcept;
  [[nodiscard]] Result<MergeOutcome> merge(const MergeRequest& request, MergeCause cause,
                                           MergePace& pace);
  [[nodiscard]] Result<MergeOutcome> try_merge(const MergeRequest& request, MergePace& pace);
  [[nodiscard]] Result<std::size_t> layers_to_merge(const MergeRequest& request, MergeCause cause);
  [[nodiscard]] Status wait_for_layers(const MergePace& pace) const;
  [[nodiscard]] Result<MadeBase> make(const MergeRequest& request, MergePace& pace,
                                      std::size_t layers);
  [[nodiscard]] Status put_in_place(const MadeBase& made);
  [[nodiscard]] PaceOptions pace_options() const;
  [[nodiscard]] Error reason_to_end(const Error& error, const MergePace& pace) const;
  void tell_failure(const Error& error, MergeCause cause);
  void tell(const std::string& text) const;

  storage::Env& env_;
  view::View& view_;
  delta::DeltaDirectory& delta_;
  const LiveMergeOptions options_;
  IdleWork work_;
  std::uint16_t told_code_ = 0;  ///< of the last failure that was told; of the merge's thread

  mutable std::mutex mutex_;  ///< guards what follows
  std::thread thread_;
  std::unique_ptr<MergePace> pace_;  ///< of the merge under way
  std::optional<Error> no_memory_;   ///< of it, made while there was memory; for its thread
  MergeStatus last_;                 ///< without the progress
};

}  // namespace dgfs::merge
