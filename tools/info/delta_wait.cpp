// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/delta_wait.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "delta/control/control.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/store_files.h"

namespace dgfs::tools {
namespace {

constexpr std::chrono::milliseconds kInterval{50};

// The manifest is unlocked last, when all files of the stores are closed.
Result<delta::LockedManifest> try_lock(const Session& session, const std::string& directory) {
  return delta::lock_manifest(session.env(), directory, delta::StoreAccess::kReadOnly);
}

void tell_holder(const Session& session, const std::string& directory, const Error& busy) {
  const auto state = delta::ask_holder(directory, delta::kAskState);
  const bool is_closing = state && delta::is_closing(state.value());
  session.complain(directory, is_closing ? "waiting for the mount that is closing it"
                                         : "waiting, since " + busy.text());
}

}  // namespace

int wait_until_closed(const Session& session, const std::string& directory,
                      std::uint64_t seconds_max) {
  const auto begin_ns = session.env().monotonic_ns();
  auto locked = try_lock(session, directory);
  if (!locked && locked.error().kind() == ErrorKind::kBusy) {
    tell_holder(session, directory, locked.error());
  }
  while (!locked && locked.error().kind() == ErrorKind::kBusy) {
    if (session.should_stop()) return kExitInterrupted;
    const auto waited_ns = session.env().monotonic_ns() - begin_ns;
    if (seconds_max != 0 && waited_ns / kNsPerSecond >= seconds_max) {
      return session.fail(locked.error(), fmt::format("waited {} s", seconds_max));
    }
    std::this_thread::sleep_for(kInterval);
    locked = try_lock(session, directory);
  }
  if (!locked) return session.fail(locked.error());
  const auto newest = directory + "/" + locked.value().manifest.stores.back().name();
  const auto superblock = delta::read_store_superblock(session.env(), newest);
  if (!superblock) return session.fail(superblock.error());
  if (superblock.value().log.is_end || superblock.value().identity == 0) return kExitDone;
  session.complain(directory,
                   "the process that had it open has not closed it: it was killed, or the machine "
                   "stopped. Mount it once, which recovers it, and unmount it before you copy it");
  return kExitFailed;
}

}  // namespace dgfs::tools
