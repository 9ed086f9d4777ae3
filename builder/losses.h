// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Losses: inputs that cannot be packed, or not wholly. The build fails, or (--keep-going) goes on
// without the input and reports it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "builder/report.h"

namespace dgfs::builder {

/// For one thread.
class LossLog {
 public:
  /// @param each  called with the path of each loss, also of those that take() lacks; may be empty
  explicit LossLog(bool keep_going,
                   std::function<void(const std::string& path, LostPart)> each = {})
      : keep_going_(keep_going), each_(std::move(each)) {}

  /// With keep_going, records the loss of `path` (below the source) and returns success, unless
  /// `error` is kInterrupted. Else returns `error`.
  [[nodiscard]] Status add(std::string path, Error error, LostPart part = LostPart::kEntry);

  /// Lost entries.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Lost parts of entries that are packed.
  [[nodiscard]] std::uint64_t part_count() const { return part_count_; }
  /// The first kLossesKeptMax losses.
  [[nodiscard]] std::vector<Loss> take() && { return std::move(losses_); }

 private:
  bool keep_going_;
  std::function<void(const std::string& path, LostPart)> each_;
  std::uint64_t count_ = 0;
  std::uint64_t part_count_ = 0;
  std::vector<Loss> losses_;
};

/// Omitted positions in the tree spool, kept as runs. The ordinal of an entry is its position minus
/// the number of omitted positions before it. Positions must be added in rising order.
class OmittedPositions {
 public:
  /// Errors: kLimit beyond kRunsMax.
  [[nodiscard]] Status add(std::uint64_t position);
  [[nodiscard]] bool contains(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t count_before(std::uint64_t position) const;

  /// A run takes 24 bytes: 100 MB for a tree with millions of scattered unreadable files.
  static constexpr std::size_t kRunsMax = std::size_t{1} << 22;

 private:
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t count_before = 0;  ///< omitted positions before `begin`
  };
  /// Index of the first run that ends after `position`.
  [[nodiscard]] std::size_t find(std::uint64_t position) const;

  std::vector<Run> runs_;
};

}  // namespace dgfs::builder
