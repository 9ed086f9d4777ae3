// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/live_merge.h"

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
#include "storage/posix/idle_priority.h"

namespace dgfs::merge {
namespace {

// How often it looks whether a layer is closed.
constexpr std::chrono::milliseconds kInterval{10};
// Of the memory of a merge, the share of the caches of image and layers; the build has the rest.
constexpr std::size_t kCacheShare = 2;

std::uint64_t writers_waited_ns(const delta::Store& store) {
  const auto counters = store.counters();
  return counters.log_wait_ns + counters.tree_wait_ns;
}

// Whether writers have waited for the store between two looks. Those that wait for space may need
// the merge, which gives space back.
class WaitingWriters {
 public:
  bool have_waited(const std::shared_ptr<delta::Store>& live) {
    const auto now_ns = writers_waited_ns(*live);
    const bool is_same = store_.lock() == live;
    const bool have = is_same && now_ns != waited_ns_;
    waited_ns_ = now_ns;
    store_ = live;
    return have;
  }

 private:
  std::weak_ptr<delta::Store> store_;
  std::uint64_t waited_ns_ = 0;
};

}  // namespace

LiveMerge::LiveMerge(storage::Env& env, view::View& view, delta::DeltaDirectory& delta,
                     LiveMergeOptions options)
    : env_(env), view_(view), delta_(delta), options_(std::move(options)) {}

LiveMerge::~LiveMerge() {
  cancel();
  wait();
}

Result<std::uint64_t> LiveMerge::start(const MergeRequest& request) {
  const std::lock_guard lock(mutex_);
  if (last_.is_running) {
    return Error(ErrorKind::kBusy, 7628,
                 fmt::format("a merge is under way ({} %); --cancel ends it", pace_->percent()))
        .in_file(options_.directory);
  }
  if (thread_.joinable()) thread_.join();
  try {
    pace_ = std::make_unique<MergePace>(env_, pace_options());
    const storage::BlockedSignals blocked;  // the thread inherits it
    thread_ = std::thread([this, request, pace = pace_.get()] { run(request, *pace); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    return Error(ErrorKind::kLimit, 7629, "cannot start a thread");
  }
  last_ = {.is_running = true, .number = last_.number + 1, .outcome = {}, .error = {}};
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

void LiveMerge::run(const MergeRequest& request, MergePace& pace) noexcept {
  std::optional<MergeOutcome> outcome;
  std::optional<Error> error;
  Error no_memory{ErrorKind::kLimit, 7627, "no memory for a merge"};
  try {
    auto merged = merge(request, pace);
    if (merged) {
      outcome = std::move(merged).value();
    } else {
      error = reason_to_end(merged.error(), pace);
      tell("the merge was given up: " + error->message());
    }
  } catch (const std::exception&) {
    outcome.reset();
    error = std::move(no_memory);
  }
  const std::lock_guard lock(mutex_);
  last_.is_running = false;
  last_.outcome = std::move(outcome);
  last_.error = std::move(error);
}

Result<MergeOutcome> LiveMerge::merge(const MergeRequest& request, MergePace& pace) {
  const auto begin_ns = env_.monotonic_ns();
  MergeOutcome outcome;
  DGFS_TRY(before, delta_bytes(env_, options_.directory));
  outcome.bytes_before = before;
  DGFS_TRY(layers, layers_to_merge(request));
  DGFS_CHECK(wait_for_layers(pace));
  if (!request.dry_run) tell(fmt::format("merging {} layers", layers));
  DGFS_TRY(made, make(request, pace, layers));
  outcome.base = std::move(made);
  if (!request.dry_run) {
    if (auto put = put_in_place(outcome.base); !put) return std::move(put).error();
    if (auto ended = view_.end_merge(); !ended) outcome.unremoved = std::move(ended).error();
  }
  const auto after = delta_bytes(env_, options_.directory);
  outcome.bytes_after = after ? after.value() : 0;
  outcome.took_ns = env_.monotonic_ns() - begin_ns;
  if (!request.dry_run) {
    tell(fmt::format("merged {} changes into {}", outcome.base.changes, outcome.base.path));
  }
  return outcome;
}

// A dry run seals nothing, so it tells of sealed changes only.
Result<std::size_t> LiveMerge::layers_to_merge(const MergeRequest& request) {
  const auto manifest = delta_.present_manifest();
  TargetRequest wanted;
  wanted.to = request.to;
  wanted.is_changed = !request.dry_run;
  wanted.seals_anyway =
      !request.dry_run && (request.repack.all || request.repack.dead_percent.has_value());
  wanted.used = oldest_used_state(env_, options_.directory, manifest);
  DGFS_TRY(target, choose_target(manifest, wanted, options_.directory));
  if (!target.seals) return target.layers;
  delta::SealRequest seal;
  seal.image_path = options_.own_image_path;
  seal.even_unchanged = wanted.seals_anyway;
  DGFS_TRY(sealed, view_.seal(seal));
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
  return make_idly([&] { return make_base(env_, source, request.repack, std::move(build)); });
}

// The thread of the build has idle priority from its begin to its end, and takes no lock of the
// view. This one looks after it meanwhile.
Result<MadeBase> LiveMerge::make_idly(const std::function<Result<MadeBase>()>& make) {
  std::optional<Result<MadeBase>> made;
  std::atomic<bool> has_ended = false;
  std::thread worker([&] {
    storage::take_idle_priority();
    try {
      made.emplace(make());
    } catch (const std::exception&) {  // no memory
    }
    has_ended = true;
  });
  WaitingWriters writers;
  while (!has_ended) {
    writers_wait_ = writers.have_waited(delta_.newest_store());
    std::this_thread::sleep_for(kInterval);
  }
  worker.join();
  writers_wait_ = false;
  if (!made) throw std::bad_alloc();
  return *std::move(made);
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
  options.others_wait = [this] { return writers_wait_.load(); };
  options.others_work = options_.others_work;
  options.free_bytes = [this]() -> std::uint64_t {
    const auto file = env_.open(delta::manifest_path(options_.directory));
    if (!file) return UINT64_MAX;
    const auto bytes = file.value()->free_bytes();
    return bytes ? bytes.value() : UINT64_MAX;
  };
  options.free_bytes_min = kFreeBytesMin;
  return options;
}

Error LiveMerge::reason_to_end(const Error& error, const MergePace& pace) const {
  if (error.kind() != ErrorKind::kInterrupted) return error;
  if (pace.is_disk_full()) {
    return Error(ErrorKind::kNoSpace, 7632,
                 fmt::format("less than {} MB of the disk are free", kFreeBytesMin >> 20))
        .in_file(options_.directory);
  }
  return Error(ErrorKind::kInterrupted, 7633, "it was cancelled").in_file(options_.directory);
}

void LiveMerge::tell(const std::string& text) const {
  if (options_.tell) options_.tell(text);
}

}  // namespace dgfs::merge
