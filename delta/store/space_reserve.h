// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceReserve: space for a checkpoint is kept in reserve: for what of the tree is not written, for
// as many tables as may wait, and an allowance each for removing and for internal batches. Where it
// cannot be kept, ordinary batches are refused, and these draw on their allowances; so what has
// been taken in gets into the tree on a full disk, too, and what makes space is taken in there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "base/result.h"
#include "delta/store/filter/filter_blocks.h"
#include "delta/store/run/batch.h"
#include "delta/store/space_blocks.h"
#include "delta/store/table_stack.h"
#include "delta/store/tree/node.h"
#include "delta/store/tree_files.h"

namespace dgfs::delta {

/// Of removing batches, while ordinary ones are refused: 4 MiB of tables, or `table_bytes` if that
/// is less. What a batch draws: its bytes in the table, and a block for each operation.
inline constexpr std::uint64_t kRemovingReserveBytes = std::uint64_t{4} << 20;
/// Of internal batches likewise: this part of it.
inline constexpr std::uint64_t kInternalReserveShare = 4;

/// What a batch wants. A value.
struct SpaceRequest {
  BatchClass batch_class = BatchClass::kOrdinary;
  bool removes_only = false;      ///< it makes space, some day, and is small: it is not refused
  std::uint64_t block_bytes = 0;  ///< that it may add to a checkpoint, at most
  std::uint64_t value_bytes = 0;  ///< of its large values
};

/// Thread-safe, but for what a checkpoint calls.
class SpaceReserve {
 public:
  /// @param files    must outlive it, as must all that follow
  /// @param options  with the parameters of the store
  SpaceReserve(TreeFiles& files, const TableStack& tables, const FilterBlocks& filter,
               const SpaceBlocks& space, const StoreOptions& options)
      : files_(files), tables_(tables), filter_(filter), space_(space), options_(options) {}

  /// While ordinary batches are refused. A value.
  struct Allowances {
    std::uint64_t removing_bytes = 0;
    std::uint64_t internal_bytes = 0;

    [[nodiscard]] std::uint64_t all_bytes() const { return removing_bytes + internal_bytes; }
  };
  /// Space that a batch has until it is taken in, or is not. Moved, not copied; for one thread at a
  /// time; ends before the reserve.
  class Admission {
   public:
    Admission(Admission&& other) noexcept
        : reserve_(other.reserve_),
          left_(other.left_),
          drawn_bytes_(std::exchange(other.drawn_bytes_, 0)),
          values_(std::move(other.values_)) {}
    Admission& operator=(Admission&&) = delete;
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;
    ~Admission() {
      if (drawn_bytes_ != 0) reserve_->give_back(left_, drawn_bytes_);
    }
    /// The batch is in the tables: they release what its values were promised.
    void note_taken_in() noexcept {
      if (drawn_bytes_ != 0) reserve_->note_taken_in(left_, std::exchange(drawn_bytes_, 0));
      values_.hand_over();
    }

   private:
    friend class SpaceReserve;
    using Left = std::uint64_t Allowances::*;
    explicit Admission(SpaceReserve& reserve) : reserve_(&reserve) {}

    SpaceReserve* reserve_;
    Left left_ = nullptr;  ///< of which allowance
    std::uint64_t drawn_bytes_ = 0;
    ExtentVolume::Promise values_;
  };

  /// Sees to it that a batch will find space, without any call at the storage. none: the disk has
  /// to be asked for some first, by ask_for(). Errors: kNoSpace; make_space() of the store may
  /// help.
  [[nodiscard]] Result<std::optional<Admission>> admit(const SpaceRequest& request);
  /// Asks the disk for space for large values. Where it has none, requests for as much are refused
  /// from then on without asking, until whoever maintains the tree finds space. Errors: kIo.
  [[nodiscard]] Status ask_for(std::uint64_t value_bytes);
  /// Whether all batches would be admitted, and the values of those that were refused. Asks the
  /// disk. Errors: kIo.
  [[nodiscard]] Result<bool> has_what_was_refused();
  /// Whether so much of an allowance was drawn that a checkpoint should find out what is there:
  /// half of what it had when that was found out the last time, unless that was next to nothing.
  [[nodiscard]] bool is_running_low() const;
  /// What was refused before is not asked for any more.
  void forget_refused() {
    const std::lock_guard lock(mutex_);
    refused_value_bytes_ = 0;
  }
  /// Whether there is one: if not, ordinary batches are refused.
  [[nodiscard]] bool is_there() const;

  /// Of a tree; returns whether there is space for it, what waits, and both allowances. For more,
  /// is_there() tells. Errors: those of Stored::load. By whoever maintains the tree, like all that
  /// follows.
  /// @param pushed_bytes  of tables that wait and are in that tree already
  [[nodiscard]] Result<bool> keep(const Stored<Node>& root, std::uint64_t pushed_bytes = 0);
  /// Whether a tree would leave it as it is. Where it is not there nothing waits for it.
  [[nodiscard]] bool is_left_by(const Stored<Node>& root);
  /// Of blocks: lets go of it, to be kept again.
  void let_go() { static_cast<void>(files_.blocks.reserve(0)); }
  /// After a checkpoint of a tree: the ends of the files go back to the disk, but for the reserve,
  /// and so do long free stretches between blocks.
  /// Errors: those of keep().
  /// @param is_resting  nobody writes, it seems: no free space is kept for what comes next
  [[nodiscard]] Status shorten_files(const Stored<Node>& root, bool is_resting);

  // By anybody again.

  /// Asks the disk how much is free. What it does not tell stays as it was.
  void look_at_disk();
  /// Whether less than the low-water mark was free when the disk was looked at: 8 times
  /// `table_bytes`, as much as large values may take between two checkpoints, and `dirty_bytes`
  /// twice. Does not wait.
  [[nodiscard]] bool is_short() const { return is_short_; }
  /// Whether so much that waits for a checkpoint is worth one: it is an eighth of what is free, and
  /// `spare_bytes`.
  [[nodiscard]] bool is_worth_a_checkpoint(std::uint64_t waiting_bytes) const;
  /// That can still be taken: beyond the files, by the cap and what the disk said last, and in
  /// them, pieces of any length, and what is in reserve.
  [[nodiscard]] std::uint64_t available_bytes() const;
  /// In reserve, also for large values.
  [[nodiscard]] std::uint64_t reserved_bytes() const;

 private:
  using Left = Admission::Left;

  [[nodiscard]] Result<std::uint64_t> bytes_for(const Stored<Node>& root) const;
  [[nodiscard]] Allowances full() const {
    const auto bytes = std::min<std::uint64_t>(kRemovingReserveBytes, options_.table_bytes);
    return {bytes, bytes / kInternalReserveShare};
  }
  /// Of tables that may wait.
  [[nodiscard]] std::uint64_t waiting_bytes_max() const { return 2 * options_.table_bytes; }
  void note_kept(std::uint64_t bytes);
  [[nodiscard]] bool note_refusal(Error refusal, std::uint64_t spare_bytes);
  void give_back(Left left, std::uint64_t bytes);
  void note_taken_in(Left left, std::uint64_t bytes) noexcept;
  void begin_measuring();
  // With mutex_ held.
  [[nodiscard]] bool draw(const SpaceRequest& request, Admission& admission);
  [[nodiscard]] bool is_known_to_lack(std::uint64_t value_bytes) const;
  void measured(const Allowances& there);

  TreeFiles& files_;
  const TableStack& tables_;
  const FilterBlocks& filter_;
  const SpaceBlocks& space_;
  const StoreOptions options_;
  std::atomic<bool> is_short_ = false;
  mutable std::mutex mutex_;      ///< before that of the extent volume; all that follows
  std::optional<Error> refusal_;  ///< of ordinary batches: no space for a checkpoint of more
  Allowances there_;              ///< when a tree was kept the last time
  Allowances left_;               ///< of them
  Allowances admitted_;           ///< drawn by batches that are not in a table yet
  Allowances unmeasured_;         ///< drawn by those that keep() may not have found in a table
  std::uint64_t kept_bytes_ = 0;
  std::optional<Error> value_refusal_;      ///< the disk had no space for large values
  std::uint64_t values_lacking_bytes_ = 0;  ///< so many were too many, with those promised before
  std::uint64_t refused_value_bytes_ = 0;   ///< of the largest batch since space was made
  std::uint64_t disk_free_bytes_ = UINT64_MAX;
};

}  // namespace dgfs::delta
