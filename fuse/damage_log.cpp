// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/damage_log.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "base/bytes.h"
#include "base/printable.h"

namespace dgfs::fuse {
namespace {

std::uint64_t place_hash(const Error& error) {
  return std::hash<std::string>{}(fmt::format("{}\n{}\n{}\n{}", error.code(), error.file(),
                                              error.section(), error.offset().value_or(0)));
}

}  // namespace

bool DamageLog::is_due(const Error& error) {
  const auto place = place_hash(error);
  const auto second = env_.monotonic_ns() / kNsPerSecond;
  const std::lock_guard lock(mutex_);
  if (second - silent_since_second_ >= kDamageSilenceSeconds) {
    told_places_.clear();
    silent_since_second_ = second;
  }
  if (told_places_.contains(place)) return false;
  if (second != second_) {
    second_ = second;
    lines_in_second_ = 0;
  }
  // A place that is left out here is not remembered, so it is logged when it appears again.
  if (lines_in_second_ >= kDamageLinesPerSecondMax || told_places_.size() >= kDamagedPlacesMax) {
    ++untold_;
    return false;
  }
  told_places_.insert(place);
  ++lines_in_second_;
  return true;
}

bool DamageLog::is_first(Advice advice) {
  const std::lock_guard lock(mutex_);
  return (std::exchange(advised_, advised_ | advice) & advice) == 0;
}

void DamageLog::tell_untold() {
  std::uint64_t untold = 0;
  {
    const std::lock_guard lock(mutex_);
    untold = std::exchange(untold_, 0);
  }
  if (untold != 0) log_->error("{} more failures were not logged", untold);
}

void DamageLog::write(const std::string& what, const Error& error) {
  log_->error("{}: {}", printable(what), printable(error.message()));
  tell_untold();
  advise(error);
}

void DamageLog::info(const std::string& text) { log_->info("{}", text); }

// Errors without a file but with codes of the delta come from its stores.
bool DamageLog::is_of_delta(const Error& error) const {
  constexpr unsigned kDeltaCodes = 7;
  return !delta_.empty() &&
         (error.file().starts_with(delta_) || error.code() / 1000 == kDeltaCodes);
}

void DamageLog::advise(const Error& error) {
  if (error.kind() == ErrorKind::kNoSpace) {
    if (!is_first(kAboutSpace)) return;
    return log_->error(
        "the delta {} is full: programs get ENOSPC until its disk has room, or files in the mount "
        "are removed; to raise a cap, mount with a larger size=",
        printable(delta_));
  }
  const bool fails = error.kind() == ErrorKind::kIo || error.kind() == ErrorKind::kCorrupt;
  if (fails && is_of_delta(error)) {
    if (!is_first(kAboutDelta)) return;
    return log_->error(
        "the delta {} fails: if its disk has failed (see the kernel's log), all further writes get "
        "EIO, and changes that no fsync has confirmed may be lost; unmount, and mount it again "
        "when the disk works; 'dgfs delta check' finds damage",
        printable(delta_));
  }
  if (error.kind() == ErrorKind::kCorrupt && is_first(kAboutImage)) {
    log_->error(
        "programs get EIO for damaged files, and right contents for all others; 'dgfs verify "
        "IMAGE' lists the damaged ones; replace the image by a good copy");
  }
  if (error.kind() == ErrorKind::kIo && is_first(kAboutDevice)) {
    log_->error(
        "the device of the image fails (see the kernel's log); programs get EIO until it answers "
        "again, and then no new mount is needed");
  }
}

void DamageLog::warn(const Error& error) {
  if (!is_due(error)) return;
  log_->warn("{}", printable(error.message()));
  tell_untold();
}

}  // namespace dgfs::fuse
