// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/live/merge_pace.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dgfs::merge {
namespace {

constexpr std::chrono::milliseconds kNap{20};
// Of a merge, the scan takes so many of a hundred, and packing and the index end at so many.
constexpr std::uint64_t kScanPercent = 10;
constexpr std::uint64_t kPackPercent = 95;
constexpr std::uint64_t kIndexPercent = 97;
// It looks at the disk whenever it has passed so many bytes.
constexpr std::uint64_t kLookBytes = std::uint64_t{2} << 20;
// While others wait, a pause is at most so many times as long as the work before it, which counts
// as at least so long.
constexpr std::uint64_t kPauseShare = 9;
constexpr std::uint64_t kWorkMinNs = 10'000'000;

}  // namespace

// The thread that reads is held up: all that it has read goes on into the base.
void MergePace::pass(std::uint64_t bytes) {
  if (packing_since_ns_ == 0) packing_since_ns_ = env_.monotonic_ns();
  passed_bytes_ += bytes;
  if (passed_bytes_ - looked_bytes_ >= kLookBytes) {
    looked_bytes_ = passed_bytes_;
    look_at_disk();
  }
  give_way();
  share();
  keep_rate();
  if (options_.others_work || options_.others_wait) working_since_ns_ = env_.monotonic_ns();
}

void MergePace::note(const builder::Progress& now) {
  look_at_disk();
  done_bytes_ = now.content_bytes;
  total_bytes_ = now.content_bytes_total;
  std::uint64_t percent = 0;
  if (now.phase == builder::Phase::kPacking) {
    // Contents that stay are not read, so entries count as well.
    const auto done = now.entries + now.content_bytes / 4096;
    const auto total = now.entries_total + now.content_bytes_total / 4096;
    const auto share = kPackPercent - kScanPercent;
    percent = kScanPercent + (total == 0 ? 0 : std::min(done, total) * share / total);
  } else if (now.phase == builder::Phase::kIndexing) {
    percent = kPackPercent;
  } else if (now.phase == builder::Phase::kSyncing) {
    percent = kIndexPercent;
  }
  advance_to(percent);
}

void MergePace::advance_to(std::uint64_t percent) {
  percent_ = std::max(percent_.load(), static_cast<unsigned>(percent));
}

void MergePace::look_at_disk() {
  if (!options_.free_bytes || options_.free_bytes() >= options_.free_bytes_min) return;
  is_disk_full_ = true;
  is_stopped_ = true;
}

// Not for ever: others may need the end of the merge.
void MergePace::give_way() {
  if (!options_.others_wait) return;
  const auto now_ns = env_.monotonic_ns();
  if (working_since_ns_ == 0) working_since_ns_ = now_ns;
  const auto pause_ns = kPauseShare * (now_ns - working_since_ns_ + kWorkMinNs);
  while (!is_stopped_ && env_.monotonic_ns() - now_ns < pause_ns && options_.others_wait()) {
    sleep();
  }
}

void MergePace::share() {
  if (!options_.others_work) return;
  const auto now_ns = env_.monotonic_ns();
  if (working_since_ns_ == 0) working_since_ns_ = now_ns;
  const auto worked_ns = now_ns - working_since_ns_;
  while (!is_stopped_ && env_.monotonic_ns() - now_ns < worked_ns && options_.others_work()) {
    sleep();
  }
}

void MergePace::keep_rate() {
  if (options_.bytes_per_second == 0) return;
  const auto due_ns = static_cast<std::uint64_t>(static_cast<double>(passed_bytes_) * 1e9 /
                                                 static_cast<double>(options_.bytes_per_second));
  while (!is_stopped_ && env_.monotonic_ns() - packing_since_ns_ < due_ns) {
    std::this_thread::sleep_for(kNap);
  }
}

// Time that it gave way is no reason to be faster afterwards.
void MergePace::sleep() {
  const auto begin_ns = env_.monotonic_ns();
  std::this_thread::sleep_for(kNap);
  const auto slept_ns = env_.monotonic_ns() - begin_ns;
  waited_ns_ += slept_ns;
  packing_since_ns_ += slept_ns;
}

}  // namespace dgfs::merge
