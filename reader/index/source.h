// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IndexSource: the index as up to two copies, of which the second stands in for damaged regions
// of the first.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "reader/counter_cells.h"
#include "reader/index/copy.h"
#include "reader/index/section_blocks.h"

namespace dgfs::reader {

/// A second copy as it was found: what can be used of it, and what is wrong with it as a whole.
struct SecondCopy {
  std::optional<IndexCopy> copy;
  std::optional<Error> damage;
};

/// Thread-safe. The second copy is opened when it is first needed; a failure is tried again at the
/// next need, since devices recover.
class IndexSource {
 public:
  /// How to open the second copy, of which a damaged superblock is taken for that of `first`.
  using OpenSecond = std::function<Result<SecondCopy>(const IndexCopy& first)>;
  using Warn = std::function<void(const Error&)>;

  IndexSource(IndexCopy first, OpenSecond open_second, Warn warn)
      : first_(std::move(first)), open_second_(std::move(open_second)), warn_(std::move(warn)) {}

  [[nodiscard]] const IndexCopy& first() const { return first_; }
  /// The second copy, or nullptr where there is none, it cannot be opened, or its superblock is
  /// not the first one's. It may have lost its superblock: second_error() says so.
  [[nodiscard]] const IndexCopy* second() const;
  /// What is wrong with the second copy as a whole; none if all is well or there is none.
  [[nodiscard]] std::optional<Error> second_error() const;

  /// `read(copy)` of the first copy, of the second one if that failed. A success of the second
  /// is counted, and told to `warn` once for a damaged copy; failures of both give the first one's
  /// error.
  template <class Read>
  [[nodiscard]] auto read(CounterCells& counters, const Read& read) const
      -> decltype(read(first())) {
    auto result = read(first_);
    if (result || !can_heal(result.assume_error())) return result;
    CounterCells::add(counters.errors);
    if (const auto* other = second()) {
      auto healed = read(*other);
      if (healed) {
        note_healed(counters, Damaged::kFirst, result.assume_error());
        return healed;
      }
      CounterCells::add(counters.errors);
    }
    return result;
  }

  /// `load(index)` as read() does, of a first copy that takes damaged blocks from the second, and
  /// then the other way round.
  template <class Load>
  [[nodiscard]] auto load(CounterCells& counters, const Load& load) const
      -> decltype(load(std::declval<const HealingCopy&>())) {
    return read(counters, [&](const IndexCopy& copy) { return load(healing(counters, copy)); });
  }

 private:
  enum class Damaged : std::uint8_t { kFirst, kSecond };
  [[nodiscard]] static bool can_heal(const Error& error) {
    return error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kIo;
  }
  [[nodiscard]] HealingCopy healing(CounterCells& counters, const IndexCopy& copy) const;
  void note_healed(CounterCells& counters, Damaged damaged, const Error& damage) const;
  void open_second() const;  // with the mutex held

  IndexCopy first_;
  OpenSecond open_second_;
  Warn warn_;
  mutable std::array<std::atomic<bool>, 2> told_{};  // of which copy damage was told
  mutable std::mutex mutex_;  // guards what follows; second_ stays as it is once it is set
  mutable bool second_settled_ = false;
  mutable std::optional<IndexCopy> second_;
  mutable std::optional<Error> second_error_;
};

}  // namespace dgfs::reader
