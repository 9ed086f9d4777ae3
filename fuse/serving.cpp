// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/serving.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "fuse/keeper/idle_watch.h"
#include "fuse/logger.h"
#include "fuse/session.h"
#include "storage/posix/blocked_signals.h"
#include "storage/posix/file_system_sync.h"

namespace dgfs::fuse {
namespace {

// When speed matters, threads mostly wait for the device, so there are more threads than cores.
constexpr unsigned kThreadsMin = 8;
constexpr unsigned kThreadsPerCore = 2;

unsigned thread_count(const storage::Env& env, unsigned asked) {
  return asked != 0 ? asked : std::max(kThreadsMin, kThreadsPerCore * env.processor_count());
}

// Called when a signal ends the mount. The kernel may still hold pages that were written through a
// map, or with write-back all written pages. It sends them at a sync, but does not wait for the
// answers; so this waits until no more requests come.
void take_written(const Service& service, const std::string& mount_point) {
  constexpr auto kQuiet = std::chrono::milliseconds(50);
  constexpr int kRoundsMax = 200;
  const auto synced = storage::sync_file_system(mount_point);
  if (!synced) service.log.warn(synced.error());
  auto answered = service.counters.answered();
  for (int round = 0; round < kRoundsMax; ++round) {
    std::this_thread::sleep_for(kQuiet);
    if (service.counters.answered() == answered && service.counters.under_way() == 0) return;
    answered = service.counters.answered();
  }
}

// The kernel refuses unknown options without naming them.
Status explained(Status mounted, const storage::Env& env, const MountArguments& arguments) {
  constexpr const char* kSelinux = "/sys/fs/selinux/enforce";
  if (mounted || !arguments.has_security_context || env.status(kSelinux)) return mounted;
  const auto& error = mounted.error();
  if (error.os_errno() != EINVAL) return mounted;
  return Error(error.kind(), 5060,
               error.text() + "; this system runs no SELinux, which context= and its kin need")
      .in_file(error.file())
      .with_errno(error.os_errno());
}

// Ends the tree's threads, which use the session, even if serving fails.
class StopAtEnd {
 public:
  explicit StopAtEnd(FileSystem& file_system) : file_system_(file_system) {}
  ~StopAtEnd() { file_system_.stop(); }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;

 private:
  FileSystem& file_system_;
};

class EndKeeper {
 public:
  explicit EndKeeper(MountKeeper* keeper) : keeper_(keeper) {}
  ~EndKeeper() {
    if (keeper_ != nullptr) keeper_->end();
  }
  EndKeeper(const EndKeeper&) = delete;
  EndKeeper& operator=(const EndKeeper&) = delete;

 private:
  MountKeeper* keeper_;
};

}  // namespace

Status serve(Service& service, const MountOptions& options, const MountArguments& arguments,
             const std::string& mount_point, const std::function<Status()>& mounted,
             MountKeeper* keeper) {
  const EndKeeper end_keeper(keeper);  // after the session has unmounted
  DGFS_TRY(session, Session::create(service, arguments.arguments));
  if (options.dry_run) return ok();
  DGFS_CHECK(explained(session.mount(mount_point), service.env, arguments));
  // Before the daemon leaves the output behind.
  DGFS_CHECK(mounted());
  if (!options.foreground) {
    DGFS_CHECK(session.daemonize());
    service.log.redirect(make_system_logger());
  }
  const auto threads =
      thread_count(service.env, options.threads != 0 ? options.threads : arguments.threads);
  const StopAtEnd stop(service.file_system);
  {
    const storage::BlockedSignals blocked;  // the threads started here inherit it
    DGFS_CHECK(service.file_system.start(service, session.get(), threads));
  }
  std::unique_ptr<IdleWatch> idle;
  if (keeper != nullptr && arguments.idle.count() != 0) {
    const storage::BlockedSignals blocked;
    DGFS_TRY(watch, IdleWatch::start(service, *keeper, arguments.idle));
    idle = std::move(watch);
  }
  std::function<void()> before_end;
  if (!arguments.is_read_only) {
    before_end = [&] { take_written(service, mount_point); };
  }
  const auto tell = [&service](bool is_ring, const std::string& reason) {
    service.is_ring = is_ring;
    if (is_ring) service.log.info("requests come through io_uring");
    if (!reason.empty()) service.log.info("requests come through /dev/fuse: " + reason);
  };
  service.was_served = true;
  return session.run({threads, service.file_system.filter(), arguments.transport, tell},
                     before_end);
}

}  // namespace dgfs::fuse
