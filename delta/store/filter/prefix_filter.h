// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PrefixFilter: says of most objects that a store says nothing of them, without I/O. It is told of
// the prefix of each key before the store is, and only grows. Its stages are added one after the
// other, each twice as large as the one before, up to a limit (P. Almeida et al., "Scalable Bloom
// Filters", 2007). Ranges of many objects are kept beside them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "delta/store/filter/filter_stage.h"
#include "delta/store/filter/prefix_ranges.h"
#include "delta/store/run/batch.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// Knows of objects that are not young alone: nothing lies below the others, and of them it says
/// that the store may have them. One thread adds at a time; any number ask meanwhile.
class PrefixFilter {
 public:
  static constexpr std::size_t kStagesMax = 64;
  /// Of the first stage, unless its maker says otherwise. Later ones are up to kGrowth times as
  /// large.
  static constexpr std::uint64_t kFirstCapacity = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kGrowth = 64;

  /// Takes no memory before it has a prefix.
  /// @param born_object     as of StoreParameters; 0: it stays empty
  /// @param first_capacity  of the first stage; where FilterStage cannot have it, the next one that
  ///                        it can
  explicit PrefixFilter(std::uint64_t born_object, std::uint64_t first_capacity = kFirstCapacity);

  /// False: nothing was added that has this prefix. True: something was, or the object is young, or
  /// one in some hundreds of those that nothing was added of. Cost: a cache line for each stage.
  [[nodiscard]] bool may_have(const ObjectPrefix& prefix) const;
  /// Whether it says so of all prefixes of a range. Cost: as of may_have(), for each that it says
  /// so of.
  [[nodiscard]] bool may_have_all(const PrefixRange& prefixes) const;
  [[nodiscard]] const OlderObjects& older() const { return older_; }
  [[nodiscard]] bool empty() const { return stages() == 0 && !has_ranges_; }

  // By one thread at a time. What was added before something failed stays, which does no harm.

  /// All keys that a batch changes. Errors: kLimit (no memory for it).
  [[nodiscard]] Status add(const Batch& batch);
  /// Those of points and range tombstones. Throws std::bad_alloc.
  void add(const Run& run);
  void add(std::string_view key) { add(prefix_of(key)); }
  void add(const ObjectPrefix& prefix);
  void add(const KeyRange& range);
  /// From now on it says true of all. By any thread.
  void add_all();

  // For who writes it down, or finds it written.

  [[nodiscard]] std::size_t stages() const { return count_.load(std::memory_order_acquire); }
  /// @param at  below stages(); all but the last are full, and that one is read if it is not
  [[nodiscard]] const FilterStage& stage(std::size_t at) const { return *stages_[at]; }
  [[nodiscard]] FilterStage& stage(std::size_t at) { return *stages_[at]; }
  /// The capacity of the stage that follows one.
  /// @param before  none: 0
  [[nodiscard]] std::uint64_t capacity_after(std::uint64_t before) const;
  /// Null: there is none.
  [[nodiscard]] PrefixRangesRef ranges() const;
  /// One more stage, which was written down. There are fewer than kStagesMax.
  void restore(std::unique_ptr<FilterStage> stage);
  /// There are none.
  void restore(PrefixRanges ranges);

  /// Prefixes in the stages.
  [[nodiscard]] std::uint64_t prefixes() const;
  /// What the stages take, in memory when they are read, and on disk.
  [[nodiscard]] std::uint64_t size_bytes() const;
  /// What those of them that are read take in memory.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// A stage that is not read may have it, and does not have it for sure.
  enum class Certainty : std::uint8_t { kMaybe, kSure };
  [[nodiscard]] bool has_in_stages(const ObjectPrefix& prefix, Certainty how) const;
  [[nodiscard]] bool has(const ObjectPrefix& prefix, Certainty how) const;
  void add_range(const PrefixRange& range);
  [[nodiscard]] bool replace(const PrefixRangesRef& before, PrefixRanges ranges);

  const OlderObjects older_;
  const std::uint64_t first_capacity_;
  std::array<std::unique_ptr<FilterStage>, kStagesMax> stages_;
  std::atomic<std::size_t> count_{0};   ///< of stages_: those that others may look at
  std::optional<ObjectPrefix> newest_;  ///< that was added

  std::atomic<bool> has_ranges_{false};
  mutable std::mutex ranges_lock_;  ///< innermost; what follows
  PrefixRangesRef ranges_;
};

}  // namespace dgfs::delta
