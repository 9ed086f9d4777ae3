// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PrefixFilter: tells without I/O that a store has no messages for an object; it can tell so for
// most objects without messages. It gets the prefix of each key before the store does, and only
// grows. Its stages are added one after the other, each twice as large as the one before, up to a
// limit (P. Almeida et al., "Scalable Bloom Filters", 2007). Ranges of many objects are kept beside
// the stages.
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

/// Covers only objects that are not young. Nothing lies below young objects, and the filter always
/// lets them through. One thread adds at a time; any number look up meanwhile.
class PrefixFilter {
 public:
  static constexpr std::size_t kStagesMax = 64;
  /// Default capacity of the first stage. Later stages are up to kGrowth times as large.
  static constexpr std::uint64_t kFirstCapacity = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kGrowth = 64;

  /// Takes no memory before a prefix is added.
  /// @param born_object     as of StoreParameters; 0: the filter stays empty
  /// @param first_capacity  of the first stage; rounded up to a capacity that FilterStage allows
  explicit PrefixFilter(std::uint64_t born_object, std::uint64_t first_capacity = kFirstCapacity);

  /// False: nothing with this prefix was added. True: something was, or the object is young; also
  /// for one in some hundreds of the other prefixes. Cost: a cache line for each stage.
  [[nodiscard]] bool may_have(const ObjectPrefix& prefix) const;
  /// Whether may_have() is true of all prefixes of a range. Cost: that of may_have() for each
  /// prefix up to the first that is not let through.
  [[nodiscard]] bool may_have_all(const PrefixRange& prefixes) const;
  [[nodiscard]] const OlderObjects& older() const { return older_; }
  [[nodiscard]] bool empty() const { return stages() == 0 && !has_ranges_; }

  // For one thread at a time. After an error, prefixes that were added before stay, which does no
  // harm.

  /// Adds all keys that a batch changes. Errors: kLimit (out of memory).
  [[nodiscard]] Status add(const Batch& batch);
  /// Adds the keys of points and of range tombstones. Throws std::bad_alloc.
  void add(const Run& run);
  void add(std::string_view key) { add(prefix_of(key)); }
  void add(const ObjectPrefix& prefix);
  void add(const KeyRange& range);
  /// From now on lets everything through. For any thread.
  void add_all();

  // For writing the filter to disk and reading it back.

  [[nodiscard]] std::size_t stages() const { return count_.load(std::memory_order_acquire); }
  /// @param at  below stages(); all but the last are full, and the last one is read
  [[nodiscard]] const FilterStage& stage(std::size_t at) const { return *stages_[at]; }
  [[nodiscard]] FilterStage& stage(std::size_t at) { return *stages_[at]; }
  /// The capacity of the stage that follows one.
  /// @param before  none: 0
  [[nodiscard]] std::uint64_t capacity_after(std::uint64_t before) const;
  /// Null: there are none.
  [[nodiscard]] PrefixRangesRef ranges() const;
  /// Adds a stage from disk. There are fewer than kStagesMax.
  void restore(std::unique_ptr<FilterStage> stage);
  /// Sets the ranges from disk; there are none yet.
  void restore(PrefixRanges ranges);

  /// Prefixes in the stages.
  [[nodiscard]] std::uint64_t prefixes() const;
  /// Size of the stages, on disk and, once read, in memory.
  [[nodiscard]] std::uint64_t size_bytes() const;
  /// Memory of the stages that are read.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// An unread stage may have a prefix, but does not surely have it.
  enum class Certainty : std::uint8_t { kMaybe, kSure };
  [[nodiscard]] bool has_in_stages(const ObjectPrefix& prefix, Certainty how) const;
  [[nodiscard]] bool has(const ObjectPrefix& prefix, Certainty how) const;
  void add_range(const PrefixRange& range);
  [[nodiscard]] bool replace(const PrefixRangesRef& before, PrefixRanges ranges);

  const OlderObjects older_;
  const std::uint64_t first_capacity_;
  std::array<std::unique_ptr<FilterStage>, kStagesMax> stages_;
  std::atomic<std::size_t> count_{0};   ///< of stages_: those that other threads may read
  std::optional<ObjectPrefix> newest_;  ///< the prefix that was added last

  std::atomic<bool> has_ranges_{false};
  mutable std::mutex ranges_lock_;  ///< innermost; guards what follows
  PrefixRangesRef ranges_;
};

}  // namespace dgfs::delta
