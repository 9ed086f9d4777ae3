// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/keeper/idle_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>

namespace dgfs::fuse {
namespace {

constexpr int kLooksPerIdleTime = 16;
constexpr std::chrono::milliseconds kLookMin{50};
constexpr std::chrono::milliseconds kLookMax{10'000};
constexpr std::chrono::milliseconds kAnswerLook{20};

// Requests that a program waits for while it holds the mount. The kernel sends others at any time
// (it writes pages back, reads ahead, forgets), which says nothing about a use.
constexpr Request kUses[] = {
    Request::kLookup,        Request::kGetAttributes, Request::kReadLink,
    Request::kOpenDirectory, Request::kReadDirectory, Request::kReadDirectoryPlus,
    Request::kGetXattr,      Request::kListXattrs,    Request::kFileSystemStatus,
    Request::kOpen,          Request::kCreate,        Request::kMakeNode,
    Request::kMakeDirectory, Request::kMakeSymlink,   Request::kLink,
    Request::kUnlink,        Request::kRename,        Request::kRemoveDirectory,
};

}  // namespace

IdleWatch::IdleWatch(Service& service, const MountKeeper& keeper, std::chrono::seconds idle)
    : service_(service), keeper_(keeper), idle_(idle) {}

Result<std::unique_ptr<IdleWatch>> IdleWatch::start(Service& service, const MountKeeper& keeper,
                                                    std::chrono::seconds idle) {
  std::unique_ptr<IdleWatch> watch(new IdleWatch(service, keeper, idle));
  try {
    watch->thread_ = std::thread([at = watch.get()] { at->run(); });
  } catch (const std::system_error&) {
    return Error(ErrorKind::kLimit, 5065, "cannot start a thread for idle=");
  }
  return watch;
}

IdleWatch::~IdleWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void IdleWatch::run() noexcept {
  try {
    watch();
  } catch (const std::bad_alloc&) {
    // The watch ends, and the mount goes on. There is no memory for a message either.
  }
}

void IdleWatch::watch() {
  const auto look = std::clamp<std::chrono::milliseconds>(
      std::chrono::milliseconds(idle_) / kLooksPerIdleTime, kLookMin, kLookMax);
  const auto idle_ns = static_cast<std::uint64_t>(idle_.count()) * kNsPerSecond;
  bool is_noted = false;  // by the keeper, at the following time
  std::uint64_t unused_since_ns = 0;
  auto seen = uses();
  while (!is_to_stop(look)) {
    const auto now_ns = service_.env.monotonic_ns();
    if (const auto count = uses(); count != seen) {
      seen = count;
      is_noted = false;
    }
    if (is_noted && now_ns - unused_since_ns < idle_ns) continue;
    const auto use = ask(is_noted);
    if (!use) return;
    if (*use == Use::kNone) {
      return service_.log.info(fmt::format("unmounted: not used for {} s", idle_.count()));
    }
    is_noted = *use == Use::kEarlier;
    unused_since_ns = now_ns;
  }
}

bool IdleWatch::is_to_stop(std::chrono::milliseconds after) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, after, [this] { return is_stopped_; });
}

// Never waits for the keeper beyond the end of serving: the kernel may let the keeper wait until
// the server has ended. nullopt: the watch is over.
std::optional<Use> IdleWatch::ask(bool unmounts) {
  const auto asked = unmounts ? keeper_.ask_unmount() : keeper_.ask_note();
  while (asked && !keeper_.has_answer()) {
    if (is_to_stop(kAnswerLook)) return std::nullopt;
  }
  const auto use = asked ? keeper_.take_answer() : asked.error();
  if (use) return use.value();
  service_.log.warn(use.error());
  return std::nullopt;
}

std::uint64_t IdleWatch::uses() const {
  std::uint64_t sum = 0;
  for (const auto kind : kUses) sum += service_.counters.of(kind);
  return sum;
}

}  // namespace dgfs::fuse
