// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveJoin: joins layers of a delta while a view of it is used: all that may be joined when
// somebody asks, and a few by itself when there are many. A thread of its own loads the joined
// layer at idle priority.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "delta/layer/join.h"
#include "delta/merge/live/idle_work.h"
#include "delta/merge/live/live_slot.h"
#include "delta/merge/live/merge_pace.h"
#include "delta/view/view.h"
#include "storage/env.h"

namespace dgfs::merge {

/// What the joins of a view need. A value.
struct LiveJoinOptions {
  std::string directory;                             ///< of the delta
  std::size_t memory_bytes = std::size_t{32} << 20;  ///< for the layers that a join reads
  std::uint64_t bytes_per_second = 0;                ///< as of PaceOptions
  std::function<bool()> others_work;                 ///< likewise
  /// With more layers without a name it joins some by itself; SIZE_MAX: never.
  std::size_t unnamed_max = layer::kUnnamedLayersMax;
  /// Called in the thread of the joins when one begins, ends, or is given up. May be empty.
  std::function<void(const std::string&)> tell;
  LiveSlot* slot = nullptr;  ///< shared with merges of the view; must outlive the joins
};

/// How far the joins are. A value.
struct JoinStatus {
  bool is_running = false;
  unsigned percent = 0;
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t waited_ns = 0;    ///< for others
  std::uint64_t number = 0;       ///< of joins that were begun so far, asked for or not
  std::uint64_t moved_bytes = 0;  ///< of the disk that joined layers took, of all joins so far
  /// Of the last one, once it has ended; neither: there was none.
  std::optional<layer::JoinOutcome> outcome;
  std::optional<Error> error;
};

/// Thread-safe, but for start().
class LiveJoin {
 public:
  /// A join leaves so many bytes of the disk free, or gives up.
  static constexpr std::uint64_t kFreeBytesMin = std::uint64_t{16} << 20;

  /// All must outlive it.
  LiveJoin(storage::Env& env, view::View& view, delta::DeltaDirectory& delta,
           LiveJoinOptions options);
  /// Gives up a join that is under way.
  ~LiveJoin();
  LiveJoin(const LiveJoin&) = delete;
  LiveJoin& operator=(const LiveJoin&) = delete;

  /// Starts the thread. Errors: kLimit (no thread available).
  [[nodiscard]] Status start();
  /// Begins to join all layers that may be joined, and returns its JoinStatus::number. Errors:
  /// kBusy (a join or a merge is under way), kInvalidArgument (nothing to join). Other errors of
  /// the joins are in status(), once they have ended.
  [[nodiscard]] Result<std::uint64_t> join_all();
  [[nodiscard]] JoinStatus status() const;
  /// Gives up the join that is under way, and returns whether there was one. It ends soon after,
  /// unless its layer is in place already.
  bool cancel();
  /// Waits until no join is under way.
  void wait();

 private:
  void run();
  /// Begins a join that is due by itself.
  void begin_if_due() noexcept;
  [[nodiscard]] bool is_running() const;
  /// @param slot  taken
  std::uint64_t begin(std::vector<delta::LayerRange> ranges, SlotHold& slot);
  void work(const std::vector<delta::LayerRange>& ranges, MergePace& pace) noexcept;
  [[nodiscard]] Result<layer::JoinOutcome> join(const std::vector<delta::LayerRange>& ranges,
                                                MergePace& pace);
  [[nodiscard]] Result<layer::JoinDone> join_range(const delta::LayerRange& range, MergePace& pace);
  [[nodiscard]] Result<layer::MadeJoin> make(const delta::JoinPlan& plan, MergePace& pace,
                                             layer::JoinDone& done);
  [[nodiscard]] bool may_be_named(const delta::JoinPlan& plan) const noexcept;
  [[nodiscard]] Status wait_for_layers(const MergePace& pace) const;
  [[nodiscard]] PaceOptions pace_options() const;
  [[nodiscard]] Error reason_to_end(const Error& error, const MergePace& pace) const;
  void tell(const std::string& text) const;

  storage::Env& env_;
  view::View& view_;
  delta::DeltaDirectory& delta_;
  const LiveJoinOptions options_;
  IdleWork work_;
  // Of the thread:
  unsigned failures_ = 0;        ///< in a row
  std::uint64_t looked_at_ = 0;  ///< generation of the manifest of the last look
  std::uint64_t looked_ns_ = 0;  ///< when that was; 0: there was none
  builder::Progress progress_;   ///< of the join under way

  std::mutex beginning_;      ///< of whoever looks what to join, which may take a while
  mutable std::mutex mutex_;  ///< after that; guards what follows
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::vector<delta::LayerRange> wanted_;  ///< of the join under way; empty: it was not begun yet
  std::unique_ptr<MergePace> pace_;        ///< of the last join
  std::optional<Error> no_memory_;         ///< of it, made while there was memory; for the thread
  JoinStatus last_;                        ///< without the progress
  std::thread thread_;
};

}  // namespace dgfs::merge
