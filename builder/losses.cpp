// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/losses.h"

#include <algorithm>
#include <utility>

namespace dgfs::builder {

Status LossLog::add(std::string path, Error error, LostPart part) {
  if (!keep_going_ || error.kind() == ErrorKind::kInterrupted) return error;
  ++(part == LostPart::kEntry ? count_ : part_count_);
  if (each_) each_(path, part);
  if (losses_.size() < kLossesKeptMax) {
    losses_.push_back({std::move(path), error.message(), part});
  }
  return ok();
}

Status OmittedPositions::add(std::uint64_t position) {
  if (!runs_.empty() && runs_.back().end == position) {
    ++runs_.back().end;
    return ok();
  }
  if (runs_.size() == kRunsMax) {
    return Error(ErrorKind::kLimit, 4010, "too many entries could not be packed");
  }
  const std::uint64_t before =
      runs_.empty() ? 0 : runs_.back().count_before + runs_.back().end - runs_.back().begin;
  runs_.push_back({position, position + 1, before});
  return ok();
}

std::size_t OmittedPositions::find(std::uint64_t position) const {
  const auto at = std::partition_point(runs_.begin(), runs_.end(),
                                       [&](const Run& run) { return run.end <= position; });
  return static_cast<std::size_t>(at - runs_.begin());
}

bool OmittedPositions::contains(std::uint64_t position) const {
  const std::size_t at = find(position);
  return at < runs_.size() && runs_[at].begin <= position;
}

std::uint64_t OmittedPositions::count_before(std::uint64_t position) const {
  const std::size_t at = find(position);
  if (at < runs_.size()) {
    const Run& run = runs_[at];
    return run.count_before + (position > run.begin ? position - run.begin : 0);
  }
  if (runs_.empty()) return 0;
  return runs_.back().count_before + runs_.back().end - runs_.back().begin;
}

}  // namespace dgfs::builder
