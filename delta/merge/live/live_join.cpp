// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/live/live_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "delta/layer/used_states.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"
#include "storage/posix/blocked_signals.h"

namespace dgfs::merge {
namespace {

// How often it looks whether a join is due, which seals soon wait for, or a layer is closed.
constexpr std::chrono::milliseconds kDueInterval{200};
constexpr std::chrono::milliseconds kClosedInterval{10};
// If nothing could be joined, it looks again when the stack has changed, or so much later: a
// process may look at a state no more. Each failure in a row doubles the pause.
constexpr std::chrono::nanoseconds kPause = std::chrono::minutes{1};
constexpr unsigned kDoublingsMax = 6;

}  // namespace

LiveJoin::LiveJoin(storage::Env& env, view::View& view, delta::DeltaDirectory& delta,
                   LiveJoinOptions options)
    : env_(env), view_(view), delta_(delta), options_(std::move(options)), work_(delta) {}

LiveJoin::~LiveJoin() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    if (pace_) pace_->stop();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (last_.is_running && options_.slot != nullptr) options_.slot->release();  // not worked on yet
}

Status LiveJoin::start() {
  const storage::BlockedSignals blocked;  // the thread inherits it
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    return Error(ErrorKind::kLimit, 7701, "cannot start a thread");
  }
  return ok();
}

Result<std::uint64_t> LiveJoin::join_all() {
  const std::lock_guard beginning(beginning_);
  if (is_running()) {
    return Error(ErrorKind::kBusy, 7702,
                 fmt::format("a join is under way ({} %); --cancel ends it", status().percent));
  }
  SlotHold slot(options_.slot);
  if (!slot.take()) {
    return Error(ErrorKind::kBusy, 7703,
                 "a merge is under way; 'dgfs delta merge --cancel' ends it");
  }
  const auto manifest = delta_.present_manifest();
  DGFS_TRY(sizes, layer::layer_sizes(env_, options_.directory, manifest));
  auto ranges = layer::all_joins(sizes);
  if (ranges.empty()) return layer::nothing_to_join(manifest, options_.directory);
  return begin(std::move(ranges), slot);
}

bool LiveJoin::is_running() const {
  const std::lock_guard lock(mutex_);
  return last_.is_running;
}

// With the slot, which the join then has: no merge has changed the numbers of the layers.
std::uint64_t LiveJoin::begin(std::vector<delta::LayerRange> ranges, SlotHold& slot) {
  auto pace = std::make_unique<MergePace>(env_, pace_options());
  const std::lock_guard lock(mutex_);
  no_memory_.emplace(ErrorKind::kLimit, 7704, "no memory for a join of layers");
  wanted_ = std::move(ranges);
  pace_ = std::move(pace);
  last_.is_running = true;
  ++last_.number;
  last_.outcome.reset();
  last_.error.reset();
  slot.keep();
  changed_.notify_all();
  return last_.number;
}

JoinStatus LiveJoin::status() const {
  const std::lock_guard lock(mutex_);
  JoinStatus status = last_;
  if (!pace_) return status;
  status.percent = pace_->percent();
  status.done_bytes = pace_->done_bytes();
  status.total_bytes = pace_->total_bytes();
  status.waited_ns = pace_->waited_ns();
  return status;
}

bool LiveJoin::cancel() {
  const std::lock_guard lock(mutex_);
  if (!last_.is_running) return false;
  pace_->stop();
  return true;
}

void LiveJoin::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !last_.is_running || is_ending_; });
}

void LiveJoin::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    changed_.wait_for(lock, kDueInterval, [this] { return is_ending_ || last_.is_running; });
    if (is_ending_) break;
    if (!last_.is_running) {
      lock.unlock();
      begin_if_due();
      lock.lock();
      continue;
    }
    const auto ranges = std::exchange(wanted_, {});
    MergePace& pace = *pace_;
    lock.unlock();
    work(ranges, pace);
    lock.lock();
    changed_.notify_all();
  }
}

void LiveJoin::begin_if_due() noexcept {
  try {
    const std::lock_guard beginning(beginning_);
    if (is_running() || delta::layers_of(delta_.present_manifest()) <= options_.unnamed_max) return;
    SlotHold slot(options_.slot);
    if (!slot.take()) return;
    const auto manifest = delta_.present_manifest();
    const auto now_ns = env_.monotonic_ns();
    const auto pause_ns = kPause.count() << std::min(failures_, kDoublingsMax);
    const bool has_paused = now_ns - looked_ns_ >= static_cast<std::uint64_t>(pause_ns);
    if (looked_ns_ != 0 && !has_paused && (failures_ != 0 || looked_at_ == manifest.generation)) {
      return;
    }
    looked_ns_ = now_ns;
    looked_at_ = manifest.generation;
    const auto sizes = layer::layer_sizes(env_, options_.directory, manifest);
    if (!sizes) return;
    const auto range = layer::next_join(sizes.value(), options_.unnamed_max, delta::kLayersMax);
    if (range) begin({*range}, slot);
  } catch (const std::exception&) {  // no memory: it is tried again
  }
}

void LiveJoin::work(const std::vector<delta::LayerRange>& ranges, MergePace& pace) noexcept {
  std::optional<layer::JoinOutcome> outcome;
  std::optional<Error> error;
  try {
    auto joined = join(ranges, pace);
    if (joined) {
      outcome = std::move(joined).value();
    } else {
      error = reason_to_end(joined.error(), pace);
      if (failures_ == 0) tell("the join was given up: " + error->message());
    }
  } catch (const std::exception&) {
    outcome.reset();
    error = std::move(no_memory_);
  }
  failures_ = error ? failures_ + 1 : 0;
  const std::lock_guard lock(mutex_);
  last_.is_running = false;
  last_.outcome = std::move(outcome);
  last_.error = std::move(error);
  if (options_.slot != nullptr) options_.slot->release();
}

// From the newest range on, so that the numbers of the older ones stay.
Result<layer::JoinOutcome> LiveJoin::join(const std::vector<delta::LayerRange>& ranges,
                                          MergePace& pace) {
  const auto begin_ns = env_.monotonic_ns();
  DGFS_CHECK(wait_for_layers(pace));
  const auto manifest = delta_.present_manifest();
  layer::JoinOutcome outcome;
  outcome.layers_before = delta::layers_of(manifest);
  DGFS_TRY(sizes, layer::layer_sizes(env_, options_.directory, manifest));
  progress_ = {};
  progress_.phase = builder::Phase::kPacking;
  std::size_t layers = 0;
  for (const delta::LayerRange& range : ranges) {
    for (auto i = range.begin; i < std::min(range.end, sizes.size()); ++i) {
      progress_.content_bytes_total += sizes[i].bytes;
    }
    layers += range.size();
  }
  tell(
      fmt::format("joining {} layers of {} MB", layers, progress_.content_bytes_total / 1'000'000));
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    DGFS_TRY(done, join_range(*range, pace));
    outcome.joins.insert(outcome.joins.begin(), std::move(done));
    // Its space serves the next range.
    if (auto ended = view_.end_merge(); !ended) outcome.unremoved = std::move(ended).error();
  }
  pace.note_end();
  outcome.layers_after = delta::layers_of(delta_.present_manifest());
  outcome.took_ns = env_.monotonic_ns() - begin_ns;
  tell(fmt::format("joined {} layers into {}", layers, ranges.size()));
  return outcome;
}

Result<layer::JoinDone> LiveJoin::join_range(const delta::LayerRange& range, MergePace& pace) {
  DGFS_CHECK(wait_for_layers(pace));
  DGFS_TRY(plan, view_.begin_join(range));
  layer::JoinDone done;
  bool is_made = false;
  const auto joined = [&]() -> Status {
    try {
      DGFS_TRY(made, make(plan, pace, done));
      if (pace.stop_flag()) return Error(ErrorKind::kInterrupted, 7709, "it was cancelled");
      is_made = true;
      return view_.put_join(made.plan);
    } catch (const std::exception&) {  // no memory, or no thread
      return Error(ErrorKind::kLimit, 7708, "no memory for a join of layers");
    }
  }();
  if (!joined) {
    if (!is_made || !may_be_named(plan)) view_.give_up_join(plan);
    return joined.error();
  }
  const auto after = delta::bytes_on_disk(env_, delta::store_path(options_.directory, plan.joined));
  done.bytes_after = after ? after.value() : 0;
  const std::lock_guard lock(mutex_);
  last_.moved_bytes += done.bytes_after;
  return done;
}

Result<layer::MadeJoin> LiveJoin::make(const delta::JoinPlan& plan, MergePace& pace,
                                       layer::JoinDone& done) {
  done.layers = plan.layers;
  done.bytes_needed = plan.bytes_needed;
  for (const delta::StackedStore& layer : plan.layers) {
    DGFS_TRY(bytes, delta::bytes_on_disk(env_, delta::store_path(options_.directory, layer)));
    done.bytes_before += bytes;
  }
  layer::JoinOptions options;
  options.memory_bytes = options_.memory_bytes;
  options.past_page_cache = true;
  options.hooks.before_read = [&](std::uint64_t bytes) {
    progress_.content_bytes += bytes;
    pace.note(progress_);
    pace.pass(bytes);
  };
  options.hooks.stop = [&pace] { return pace.stop_flag().load(); };
  return work_.run([&] { return layer::make_joined(env_, options_.directory, plan, options); });
}

// A manifest that could not be written may be there all the same.
bool LiveJoin::may_be_named(const delta::JoinPlan& plan) const noexcept {
  try {
    const auto now = delta::read_present_manifest(env_, options_.directory);
    return !now || std::ranges::any_of(now.value().stores, [&](const delta::StackedStore& store) {
      return store.number == plan.joined.number;
    });
  } catch (const std::exception&) {  // no memory
    return true;
  }
}

Status LiveJoin::wait_for_layers(const MergePace& pace) const {
  for (;;) {
    if (pace.stop_flag()) return Error(ErrorKind::kInterrupted, 7705, "it was cancelled");
    if (const auto closed = view_.closing_state()) return *closed;
    std::this_thread::sleep_for(kClosedInterval);
  }
}

PaceOptions LiveJoin::pace_options() const {
  PaceOptions options;
  options.bytes_per_second = options_.bytes_per_second;
  options.others_wait = [this] { return work_.writers_wait(); };
  options.others_work = options_.others_work;
  options.free_bytes = free_bytes_of(env_, options_.directory);
  options.free_bytes_min = kFreeBytesMin;
  return options;
}

Error LiveJoin::reason_to_end(const Error& error, const MergePace& pace) const {
  if (error.kind() != ErrorKind::kInterrupted) return error;
  if (pace.is_disk_full()) {
    return Error(ErrorKind::kNoSpace, 7706,
                 fmt::format("less than {} MB of the disk are free", kFreeBytesMin >> 20))
        .in_file(options_.directory);
  }
  return Error(ErrorKind::kInterrupted, 7707, "it was cancelled").in_file(options_.directory);
}

void LiveJoin::tell(const std::string& text) const {
  if (options_.tell) options_.tell(text);
}

}  // namespace dgfs::merge
