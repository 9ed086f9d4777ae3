// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What happens when an input cannot be packed: the build fails, or (--keep-going) goes on without
// it and says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builder/report.h"

namespace dgfs::builder {

/// Used by one thread.
class LossLog {
 public:
  explicit LossLog(bool keep_going) : keep_going_(keep_going) {}

  /// Either records the loss of `path` (below the source) and returns success, or returns `error`.
  [[nodiscard]] Status add(std::string path, Error error);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The first kLossesKeptMax.
  [[nodiscard]] std::vector<Loss> take() && { return std::move(losses_); }

 private:
  bool keep_going_;
  std::uint64_t count_ = 0;
  std::vector<Loss> losses_;
};

/// Positions in the tree spool that are left out, kept as runs: the ordinal of a position is the
/// position less how many are left out before it. Added in rising order.
class OmittedPositions {
 public:
  /// Errors: kLimit beyond kRunsMax.
  [[nodiscard]] Status add(std::uint64_t position);
  [[nodiscard]] bool contains(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t count_before(std::uint64_t position) const;

  /// 24 bytes each: 100 MB in a tree with millions of scattered unreadable files.
  static constexpr std::size_t kRunsMax = std::size_t{1} << 22;

 private:
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t count_before = 0;  ///< omitted before `begin`
  };
  /// Index of the first run that ends after `position`.
  [[nodiscard]] std::size_t find(std::uint64_t position) const;

  std::vector<Run> runs_;
};

}  // namespace dgfs::builder
