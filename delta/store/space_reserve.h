// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SpaceReserve: keeps space in reserve for the next checkpoint: for unwritten blocks of the tree,
// for as many tables as may wait, and an allowance each for removing and for internal batches. If
// it cannot be kept, ordinary batches are refused, and the other two classes draw on their
// allowances. So a full disk still has space for all changes that were taken in, and for removals,
// which make space.
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

/// Allowance of removing batches while ordinary ones are refused: 4 MiB of tables, or `table_bytes`
/// if that is less. A batch draws its bytes in the table, and a block for each operation.
inline constexpr std::uint64_t kRemovingReserveBytes = std::uint64_t{4} << 20;
/// The allowance of internal batches is this part of the above.
inline constexpr std::uint64_t kInternalReserveShare = 4;

/// The space that a batch needs. A value.
struct SpaceRequest {
  BatchClass batch_class = BatchClass::kOrdinary;
  bool removes_only = false;      ///< small, and makes space later: never refused
  std::uint64_t block_bytes = 0;  ///< the most that it may add to a checkpoint
  std::uint64_t value_bytes = 0;  ///< of its large values
};

/// Thread-safe, except for the calls of a checkpoint.
class SpaceReserve {
 public:
  /// @param files    must outlive it, like all that follow
  /// @param options  with the parameters of the store
  SpaceReserve(TreeFiles& files, const TableStack& tables, const FilterBlocks& filter,
               const SpaceBlocks& space, const StoreOptions& options)
      : files_(files), tables_(tables), filter_(filter), space_(space), options_(options) {}

  /// Bytes of both allowances, which batches draw on while ordinary ones are refused. A value.
  struct Allowances {
    std::uint64_t removing_bytes = 0;
    std::uint64_t internal_bytes = 0;

    [[nodiscard]] std::uint64_t all_bytes() const { return removing_bytes + internal_bytes; }
  };
  /// Space that a batch holds until it is taken in or given up. Moved, not copied; for one thread
  /// at a time; ends before the reserve.
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
    /// The batch is in the tables: these release the space that was promised to its values.
    void note_taken_in() noexcept {
      if (drawn_bytes_ != 0) reserve_->note_taken_in(left_, std::exchange(drawn_bytes_, 0));
      values_.hand_over();
    }

   private:
    friend class SpaceReserve;
    using Left = std::uint64_t Allowances::*;
    explicit Admission(SpaceReserve& reserve) : reserve_(&reserve) {}

    SpaceReserve* reserve_;
    Left left_ = nullptr;  ///< the allowance that was drawn on
    std::uint64_t drawn_bytes_ = 0;
    ExtentVolume::Promise values_;
  };

  /// Ensures that a batch will find space, without an I/O call. none: call ask_for() first, to ask
  /// the disk. Errors: kNoSpace; Store::make_space() may help.
  [[nodiscard]] Result<std::optional<Admission>> admit(const SpaceRequest& request);
  /// Asks the disk for space for large values. If it has none, gives space back to it that nothing
  /// needs, and asks again. Returns whether there is space. Errors: kIo.
  [[nodiscard]] Result<bool> ask_for(std::uint64_t value_bytes);
  /// Call it if ask_for() has found no space: requests of that size are refused without asking,
  /// until maintenance finds space.
  void note_lack(std::uint64_t value_bytes);
  /// Whether batches of all classes would be admitted now, with values as large as those that were
  /// refused. Asks the disk. Errors: kIo.
  [[nodiscard]] Result<bool> has_what_was_refused();
  /// Whether so much of an allowance was drawn that a checkpoint should measure again what is
  /// there: half of what the last measurement found, unless that was almost nothing.
  [[nodiscard]] bool is_running_low() const;
  /// Forgets the size of values that were refused.
  void forget_refused() {
    const std::lock_guard lock(mutex_);
    refused_value_bytes_ = 0;
  }
  /// Whether the reserve is kept; if not, ordinary batches are refused.
  [[nodiscard]] bool is_there() const;

  /// Keeps the reserve for a tree. Returns whether there is space for the tree, for what waits, and
  /// for both allowances; is_there() tells whether ordinary batches are admitted. Errors: those of
  /// Stored::load. Called by the thread that maintains the tree, like all that follow.
  /// @param pushed_bytes  of waiting tables that are in that tree already
  [[nodiscard]] Result<bool> keep(const Stored<Node>& root, std::uint64_t pushed_bytes = 0);
  /// Whether the reserve can be kept with this tree, too. True if there is no reserve.
  [[nodiscard]] bool is_left_by(const Stored<Node>& root);
  /// Gives up the reserve of blocks, to be kept again later.
  void let_go() { static_cast<void>(files_.blocks.reserve(0)); }
  /// Call it after a checkpoint of a tree: gives the ends of the files back to the disk, except for
  /// the reserve, and also long free stretches between blocks.
  /// Errors: those of keep().
  /// @param is_resting  no batch came for some time: no free space is kept for the next ones
  [[nodiscard]] Status shorten_files(const Stored<Node>& root, bool is_resting);
  /// Call it for a store that was opened, after keep(): gives back what another opening has
  /// reserved beyond the present need, and if the files take more than the cap, all that nothing
  /// needs. Errors: those of Stored::load.
  [[nodiscard]] Status shorten_opened_files(const Stored<Node>& root);
  /// Call it after the last checkpoint: gives back all that nothing needs. The reserve stays; if
  /// there is enough space, without that for tables that wait, which the next opening asks the disk
  /// for. Errors: those of keep().
  [[nodiscard]] Status shorten_closed_files(const Stored<Node>& root);

  // The following may be called by any thread.

  /// Asks the disk how much is free. If the disk does not say, keeps its last answer.
  void look_at_disk();
  /// Whether less than the low-water mark was free at the last look_at_disk(): 8 times
  /// `table_bytes`, which large values may take between two checkpoints, plus twice `dirty_bytes`.
  /// Does not wait.
  [[nodiscard]] bool is_short() const { return is_short_; }
  /// Whether the space that waits for a checkpoint is worth one: at least an eighth of what is
  /// free, and at least `spare_bytes`.
  [[nodiscard]] bool is_worth_a_checkpoint(std::uint64_t waiting_bytes) const;
  /// Space that can still be taken: beyond the files, by the cap and the last answer of the disk,
  /// and in the files, free stretches of any length and the reserve.
  [[nodiscard]] std::uint64_t available_bytes() const;
  /// The part of it that ordinary batches can have, with large values or without: whole pages
  /// beyond the reserve. A file gives its free pages back when the other file lacks space.
  [[nodiscard]] std::uint64_t writable_bytes() const;
  /// The reserve, with the space for large values.
  [[nodiscard]] std::uint64_t reserved_bytes() const;

 private:
  using Left = Admission::Left;

  [[nodiscard]] Result<std::uint64_t> bytes_for(const Stored<Node>& root) const;
  [[nodiscard]] Allowances full() const {
    const auto bytes = std::min<std::uint64_t>(kRemovingReserveBytes, options_.table_bytes);
    return {bytes, bytes / kInternalReserveShare};
  }
  /// Bytes of tables that may wait.
  [[nodiscard]] std::uint64_t waiting_bytes_max() const { return 2 * options_.table_bytes; }
  /// BlockFile::reserve() of blocks; if the disk or the cap refuses, gives space back that nothing
  /// needs, and tries again.
  [[nodiscard]] Status reserve_blocks(std::uint64_t bytes);
  /// Makes space on the disk and below the cap, if it suffices.
  /// @param block_bytes    the reserve of blocks, with what is asked for
  /// @param value_bytes    all promised values, with what is asked for
  /// @param lacking_bytes  the space to ask the disk for
  /// Returns whether it may suffice.
  [[nodiscard]] bool give_back_spare(std::uint64_t block_bytes, std::uint64_t value_bytes,
                                     std::uint64_t lacking_bytes);
  /// Space beyond all blocks and values: below the cap and on the disk, and in the files.
  [[nodiscard]] std::uint64_t page_bytes() const;
  [[nodiscard]] std::uint64_t kept_bytes() const {
    const std::lock_guard lock(mutex_);
    return kept_bytes_;
  }
  void note_answer(const Error& lack);
  void note_kept(std::uint64_t bytes);
  [[nodiscard]] bool note_refusal(Error refusal, std::uint64_t spare_bytes);
  void give_back(Left left, std::uint64_t bytes);
  void note_taken_in(Left left, std::uint64_t bytes) noexcept;
  void begin_measuring();
  // The following are called with mutex_ held.
  [[nodiscard]] bool draw(const SpaceRequest& request, Admission& admission);
  [[nodiscard]] bool is_known_to_lack(std::uint64_t value_bytes) const;
  void measured(const Allowances& there);

  TreeFiles& files_;
  const TableStack& tables_;
  const FilterBlocks& filter_;
  const SpaceBlocks& space_;
  const StoreOptions options_;
  std::atomic<bool> is_short_ = false;
  mutable std::mutex mutex_;  ///< before that of the extent volume; guards all that follows
  /// Why ordinary batches are refused: a checkpoint would have no space for more; none: they are
  /// not.
  std::optional<Error> refusal_;
  Allowances there_;       ///< found when keep() was last called
  Allowances left_;        ///< of there_
  Allowances admitted_;    ///< drawn by batches that are not in a table yet
  Allowances unmeasured_;  ///< drawn by batches that keep() may not have found in a table
  std::uint64_t kept_bytes_ = 0;
  std::optional<Error> lack_;  ///< the last answer of a disk without space for large values
  std::optional<Error> value_refusal_;  ///< why such values are refused; none: they are not
  /// So many bytes or more, with those promised before, are refused.
  std::uint64_t values_lacking_bytes_ = 0;
  std::uint64_t refused_value_bytes_ = 0;  ///< of the largest refused batch since space was made
  std::uint64_t disk_free_bytes_ = UINT64_MAX;
};

}  // namespace dgfs::delta
