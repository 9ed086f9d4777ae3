// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IndexSource: an index in one or two copies. The second copy replaces damaged regions of the
// first.
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

/// A second copy: the copy if it is usable, and the error if it is damaged as a whole.
struct SecondCopy {
  std::optional<IndexCopy> copy;
  std::optional<Error> damage;
};

/// Thread-safe. Opens the second copy when it is first needed. After a failure, tries again at the
/// next need, because devices recover.
class IndexSource {
 public:
  /// Opens the second copy. If its superblock is damaged, the superblock of `first` replaces it.
  using OpenSecond = std::function<Result<SecondCopy>(const IndexCopy& first)>;
  using Warn = std::function<void(const Error&)>;

  IndexSource(IndexCopy first, OpenSecond open_second, Warn warn)
      : first_(std::move(first)), open_second_(std::move(open_second)), warn_(std::move(warn)) {}

  [[nodiscard]] const IndexCopy& first() const { return first_; }
  /// The second copy. nullptr: there is none, it cannot be opened, or its superblock differs from
  /// the first copy's. A copy with a damaged superblock is returned, and second_error() reports it.
  [[nodiscard]] const IndexCopy* second() const;
  /// Error of the second copy as a whole; nullopt if it is sound or there is none.
  [[nodiscard]] std::optional<Error> second_error() const;

  /// Calls `read` with the first copy, and if that fails with the second copy. Counts each success
  /// of the second, and reports the damaged copy to `warn` once. If both fail, returns the error of
  /// the first.
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

  /// As read(), for a whole section: `load` gets the first copy, healed block by block by the
  /// second, and if that fails the second copy, healed by the first.
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
  void open_second() const;  // needs the mutex

  IndexCopy first_;
  OpenSecond open_second_;
  Warn warn_;
  mutable std::array<std::atomic<bool>, 2> told_{};  // damage was reported, by copy
  mutable std::mutex mutex_;  // guards the members below; second_ never changes once set
  mutable bool second_settled_ = false;
  mutable std::optional<IndexCopy> second_;
  mutable std::optional<Error> second_error_;
};

}  // namespace dgfs::reader
