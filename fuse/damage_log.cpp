// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/damage_log.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace dgfs::fuse {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

std::uint64_t place_hash(const Error& error) {
  return std::hash<std::string>{}(fmt::format("{}\n{}\n{}\n{}", error.code(), error.file(),
                                              error.section(), error.offset().value_or(0)));
}

}  // namespace

bool DamageLog::is_due(const Error& error) {
  const auto place = place_hash(error);
  const auto second = env_.monotonic_ns() / kNsPerSecond;
  const std::lock_guard lock(mutex_);
  if (told_places_.contains(place)) return false;
  if (second != second_) {
    second_ = second;
    lines_in_second_ = 0;
  }
  // A place left out here is not remembered, so it is told when it is met again.
  if (lines_in_second_ >= kDamageLinesPerSecondMax || told_places_.size() >= kDamagedPlacesMax) {
    ++untold_;
    return false;
  }
  told_places_.insert(place);
  ++lines_in_second_;
  return true;
}

void DamageLog::write(const std::string& what, const Error& error) {
  std::uint64_t untold = 0;
  {
    const std::lock_guard lock(mutex_);
    untold = std::exchange(untold_, 0);
  }
  log_->error("{}: {}", what, error.message());
  if (untold != 0) log_->error("{} more failures were left out", untold);
}

}  // namespace dgfs::fuse
