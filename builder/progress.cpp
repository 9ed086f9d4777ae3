// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/progress.h"

#include "storage/env.h"

namespace dgfs::builder {
namespace {

// Looks smooth, and costs nearly nothing compared with the work done in between.
constexpr std::uint64_t kIntervalNs = 200'000'000;

}  // namespace

void ProgressMeter::begin(Phase phase) {
  state_.phase = phase;
  report();
}

void ProgressMeter::update() {
  if (!report_ || env_.monotonic_ns() - last_report_ns_ < kIntervalNs) return;
  report();
}

void ProgressMeter::report() {
  if (!report_) return;
  last_report_ns_ = env_.monotonic_ns();
  Progress now = state_;
  now.content_bytes += hashed_zeros_;
  report_(now);
}

}  // namespace dgfs::builder
