// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/live/live_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "delta/merge/merge_target.h"
#include "delta/store/directory/stacked_stores.h"
#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "storage/posix/blocked_signals.h"

namespace dgfs::merge {
namespace {

// How often it looks whether a layer is closed.
constexpr std::chrono::milliseconds kInterval{10};
// Of the memory of a merge, the share of the caches of image and layers; the build has the rest.
constexpr std::size_t kCacheShare = 2;

// The space that a merge gives back cannot be counted on: until its end, which may not come,
// writers would have none. A delta that is not mounted is sealed without a cap.
Error with_way_out(const Error& error) {
  if (error.kind() != ErrorKind::kNoSpace) return error;
  return Error(ErrorKind::kNoSpace, 7722,
               error.text() +
                   "; mount it with a larger size=, or merge it while it is not mounted "
                   "(--image); nothing was merged")
      .in_file(error.file());
}

}  // namespace

LiveMerge::LiveMerge(storage::Env& env, view::View& view, delta::DeltaDirectory& delta,
                     LiveMergeOptions options)
    : env_(env), view_(view), delta_(delta), options_(std::move(options)), work_(delta) {}

LiveMerge::~LiveMerge() {
  cancel();
  wait();
}

Result<std::uint64_t> LiveMerge::start(const MergeRequest& request, MergeCause cause) {
  std::unique_lock lock(mutex_);
  while (last_.is_running && last_.is_dry_run && !request.dry_run) {
    pace_->stop();
    lock.unlock();
    std::this_thread::sleep_for(kInterval);
    lock.lock();
  }
  if (last_.is_running) {
    return Error(ErrorKind::kBusy, 7628,
                 fmt::format("a merge is under way ({} %); --cancel ends it", pace_->percent()));
  }
  if (thread_.joinable()) thread_.join();
  SlotHold slot(options_.slot);
  if (!slot.take()) {
    return Error(ErrorKind::kBusy, 7700,
                 "layers are being joined; 'dgfs delta compact --cancel' ends that");
  }
  try {
    pace_ = std::make_unique<MergePace>(env_, pace_options());
    no_memory_.emplace(ErrorKind::kLimit, 7627, "no memory for a merge");
    const storage::BlockedSignals blocked;  // the thread inherits it
    thread_ =
        std::thread([this, request, cause, pace = pace_.get()] { run(request, cause, *pace); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    return Error(ErrorKind::kLimit, 7629, "cannot start a thread");
  }
  slot.keep();
  last_.is_running = true;
  last_.is_dry_run = request.dry_run;
  ++last_.number;
  if (!request.dry_run) ++last_.merges;
  last_.outcome.reset();
  last_.error.reset();
  return last_.number;
}

MergeStatus LiveMerge::status() const {
  const std::lock_guard lock(mutex_);
  MergeStatus status = last_;
  if (!pace_) return status;
  status.percent = pace_->percent();
  status.done_bytes = pace_->done_bytes();
  status.total_bytes = pace_->total_bytes();
  status.waited_ns = pace_->waited_ns();
  return status;
}

bool LiveMerge::cancel() {
  const std::lock_guard lock(mutex_);
  if (!last_.is_running) return false;
  pace_->stop();
  return true;
}

void LiveMerge::wait() {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::move(thread_);
  }
  if (ended.joinable()) ended.join();
}

// A merge that begins meanwhile waits: it may be about to make a file that nothing names yet.
void LiveMerge::remove_rest() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (last_.is_running || !delta_.has_unneeded()) return;
    const auto removed = view_.remove_unneeded();
    if (removed && removed.value()) tell("removed layers and bases that nothing reads any more");
  } catch (const std::exception&) {
    // No memory: it is tried again.
  }
}

void LiveMerge::run(const MergeRequest& request, MergeCause cause, MergePace& pace) noexcept {
  std::optional<MergeOutcome> outcome;
  std::optional<Error> error;
  try {
    auto merged = request.dry_run ? try_merge(request, pace) : merge(request, cause, pace);
    if (merged) {
      outcome = std::move(merged).value();
      told_code_ = request.dry_run ? told_code_ : 0;
    } else {
      error = reason_to_end(merged.error(), pace);
      if (!request.dry_run) tell_failure(*error, cause);
    }
  } catch (const std::exception&) {
    outcome.reset();
    error = std::move(no_memory_);
  }
  const std::lock_guard lock(mutex_);
  last_.is_running = false;
  if (!request.dry_run) {
    last_.has_failed = error && error->kind() != ErrorKind::kInterrupted;
  }
  last_.outcome = std::move(outcome);
  last_.error = std::move(error);
  if (options_.slot != nullptr) options_.slot->release();
}

Result<MergeOutcome> LiveMerge::merge(const MergeRequest& request, MergeCause cause,
                                      MergePace& pace) {
  const auto begin_ns = env_.monotonic_ns();
  MergeOutcome outcome;
  DGFS_TRY(before, delta_bytes(env_, options_.directory));
  outcome.bytes_before = before;
  DGFS_TRY(layers, layers_to_merge(request, cause));
  DGFS_CHECK(wait_for_layers(pace));
  if (cause != MergeCause::kRetry) tell(fmt::format("merging {} layers", layers));
  DGFS_TRY(made, make(request, pace, layers));
  outcome.base = std::move(made);
  pace.note_made();
  if (auto put = put_in_place(outcome.base); !put) return std::move(put).error();
  if (auto ended = view_.end_merge(); !ended) outcome.unremoved = std::move(ended).error();
  const auto after = delta_bytes(env_, options_.directory);
  outcome.bytes_after = after ? after.value() : 0;
  outcome.took_ns = env_.monotonic_ns() - begin_ns;
  pace.note_end();
  tell(fmt::format("merged {} changes into {}", outcome.base.changes, outcome.base.path));
  return outcome;
}

// Seals nothing, so it looks at sealed changes only; of the others it knows how much of the disk
// they take. A merge would seal first, which needs another store.
Result<MergeOutcome> LiveMerge::try_merge(const MergeRequest& request, MergePace& pace) {
  MergeOutcome outcome;
  DGFS_TRY(before, delta_bytes(env_, options_.directory));
  outcome.bytes_before = before;
  const auto manifest = delta_.present_manifest();
  const auto live = delta_.newest_store();
  const bool is_changed = live->sequence() >= manifest.stores.back().first_sequence;
  DGFS_TRY(target,
           choose_target(manifest,
                         target_request(env_, options_.directory, manifest, request, is_changed),
                         options_.directory));
  const auto sealed = target.seals ? target.layers - 1 : target.layers;
  if (sealed != 0) {
    DGFS_CHECK(wait_for_layers(pace));
    DGFS_TRY(made, make(request, pace, sealed));
    outcome.base = std::move(made);
  } else if (request.repack.any()) {
    return Error(ErrorKind::kInvalidArgument, 7721,
                 "a dry run of --repack needs a state that is no part of the base yet; 'dgfs delta "
                 "seal' makes one, once something has changed");
  } else {
    outcome.base.peak_bytes = bytes_of_index(*view_.image());
  }
  if (!target.seals) return outcome;
  if (is_changed) outcome.unsealed_bytes = live->layer_bytes();
  outcome.base.peak_bytes += outcome.unsealed_bytes + delta_.next_store_bytes();
  return outcome;
}

Result<std::size_t> LiveMerge::layers_to_merge(const MergeRequest& request, MergeCause cause) {
  const auto manifest = delta_.present_manifest();
  const bool seals = cause != MergeCause::kRetry || delta::layers_of(manifest) == 0;
  auto wanted = target_request(env_, options_.directory, manifest, request, seals);
  DGFS_TRY(target, choose_target(manifest, wanted, options_.directory));
  if (!target.seals) return target.layers;
  delta::SealRequest seal;
  seal.image_path = options_.own_image_path;
  seal.even_unchanged = wanted.seals_anyway;
  auto made = view_.seal(seal);
  if (!made) return with_way_out(made.error());
  const auto sealed = std::move(made).value();
  const auto layers = delta::layers_of(sealed.manifest);
  if (layers == 0) {
    return Error(ErrorKind::kInvalidArgument, 7630,
                 "nothing to merge: nothing has changed since the base was made");
  }
  // Others may have sealed meanwhile, and have named a state.
  wanted.is_changed = false;
  wanted.seals_anyway = false;
  DGFS_TRY(again, choose_target(sealed.manifest, wanted, options_.directory));
  return again.layers;
}

Status LiveMerge::wait_for_layers(const MergePace& pace) const {
  for (;;) {
    if (const auto closed = view_.closing_state()) return *closed;
    if (pace.stop_flag()) return Error(ErrorKind::kInterrupted, 7631, "it was cancelled");
    std::this_thread::sleep_for(kInterval);
  }
}

Result<MadeBase> LiveMerge::make(const MergeRequest& request, MergePace& pace, std::size_t layers) {
  BaseSource source;
  source.directory = options_.directory;
  source.image_path = options_.image_path;
  source.volume_paths = options_.volume_paths;
  source.layers = layers;
  source.cache_bytes = options_.memory_bytes / kCacheShare;
  source.past_page_cache = true;
  source.open_bottom = view_.image();
  DGFS_TRY(nameless, view_.orphans(layers));
  source.nameless = std::move(nameless);
  builder::BuildOptions build;
  build.jobs = 1;
  build.memory_bytes = options_.memory_bytes - source.cache_bytes;
  build.dry_run = request.dry_run;
  build.progress = [&pace](const builder::Progress& now) { pace.note(now); };
  source.before_read = [&pace](std::uint64_t bytes) { pace.pass(bytes); };
  build.stop = &pace.stop_flag();
  return work_.run([&] { return make_base(env_, source, request.repack, std::move(build)); });
}

Status LiveMerge::put_in_place(const MadeBase& made) {
  auto put = [&]() -> Status {
    auto manifest = delta_.present_manifest();
    const auto present = view_.image();
    DGFS_TRY(base, view::open_base(env_, *present, options_.image_path, options_.directory,
                                   manifest, made.plan.base, options_.base));
    return view_.put_base(made.plan, std::move(base));
  }();
  if (put) return put;
  // If the manifest could be written in part, it may name the base.
  const auto now = delta::read_present_manifest(env_, options_.directory);
  const bool may_be_named =
      !now || (now.value().base && now.value().base->number == made.plan.base.number);
  if (!may_be_named) drop_base(env_, made);
  return put;
}

PaceOptions LiveMerge::pace_options() const {
  PaceOptions options;
  options.bytes_per_second = options_.bytes_per_second;
  options.others_wait = [this] { return work_.writers_wait(); };
  options.others_work = options_.others_work;
  options.free_bytes = free_bytes_of(env_, options_.directory);
  options.free_bytes_min = kFreeBytesMin;
  return options;
}

Error LiveMerge::reason_to_end(const Error& error, const MergePace& pace) const {
  if (error.kind() != ErrorKind::kInterrupted) return error;
  if (pace.is_disk_full()) {
    return Error(ErrorKind::kNoSpace, 7632,
                 fmt::format("less than {} MB of the disk are free; nothing was merged",
                             kFreeBytesMin >> 20))
        .in_file(options_.directory);
  }
  return Error(ErrorKind::kInterrupted, 7633, "it was cancelled").in_file(options_.directory);
}

void LiveMerge::tell_failure(const Error& error, MergeCause cause) {
  const bool is_told = cause == MergeCause::kRetry && error.code() == told_code_;
  told_code_ = error.code();
  if (is_told) return;
  const bool is_tried_again = cause != MergeCause::kUser && error.kind() != ErrorKind::kInterrupted;
  tell("the merge was given up: " + error.message() +
       (is_tried_again ? "; the mount tries again later, ever more rarely" : ""));
}

void LiveMerge::tell(const std::string& text) const {
  if (options_.tell) options_.tell(text);
}

}  // namespace dgfs::merge
