// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IndexSource: the index as up to two copies, of which the second stands in for damaged regions
// of the first.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "reader/counter_cells.h"
#include "reader/index_copy.h"

namespace dgfs::reader {

/// Thread-safe. The second copy is opened when it is first needed; a failure is tried again at the
/// next need, since devices recover.
class IndexSource {
 public:
  /// How to open the second copy; nullopt where there is none.
  using OpenSecond = std::function<Result<std::optional<IndexCopy>>()>;
  using Warn = std::function<void(const Error&)>;

  IndexSource(IndexCopy first, OpenSecond open_second, Warn warn)
      : first_(std::move(first)), open_second_(std::move(open_second)), warn_(std::move(warn)) {}

  [[nodiscard]] const IndexCopy& first() const { return first_; }
  /// The second copy, or nullptr where there is none, it cannot be opened, or its superblock is
  /// not the first one's.
  [[nodiscard]] const IndexCopy* second() const;
  /// Why second() is nullptr although there is something; none if all is well.
  [[nodiscard]] std::optional<Error> second_error() const;

  /// `read(copy)` of the first copy, of the second one if that failed. A success of the second
  /// is told to `warn` and counted; failures of both give the first one's error.
  template <class Read>
  [[nodiscard]] auto read(CounterCells& counters, const Read& read) const
      -> decltype(read(first())) {
    auto result = read(first_);
    if (result || !can_heal(result.assume_error())) return result;
    CounterCells::add(counters.errors);
    if (const auto* other = second()) {
      auto healed = read(*other);
      if (healed) {
        CounterCells::add(counters.healed_pages);
        warn(result.assume_error());
        return healed;
      }
      CounterCells::add(counters.errors);
    }
    return result;
  }

  void warn(const Error& error) const {
    if (warn_) warn_(error);
  }

 private:
  [[nodiscard]] static bool can_heal(const Error& error) {
    return error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kIo;
  }
  void open_second() const;  // with the mutex held

  IndexCopy first_;
  OpenSecond open_second_;
  Warn warn_;
  mutable std::mutex mutex_;  // guards what follows; second_ stays as it is once it is set
  mutable bool second_settled_ = false;
  mutable std::optional<IndexCopy> second_;
  mutable std::optional<Error> second_error_;
};

}  // namespace dgfs::reader
