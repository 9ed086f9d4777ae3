// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/wait.h"

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

// A layer whose closing was cut off is closed by the next opening.
Result<bool> are_all_closed(storage::Env& env, const std::string& directory,
                            const delta::Manifest& manifest) {
  for (const auto& store : manifest.stores) {
    DGFS_TRY(superblock, delta::read_store_superblock(env, directory + "/" + store.name()));
    if (!superblock.log.is_end) return false;
  }
  return true;
}

}  // namespace

int wait_until_closed(const Session& session, const std::string& directory, const ClosedWait& how) {
  const auto begin_ns = session.env().monotonic_ns();
  bool has_told = false;
  auto locked = try_lock(session, directory);
  while (!locked && locked.error().kind() == ErrorKind::kBusy) {
    if (session.should_stop()) return kExitInterrupted;
    const auto waited_seconds = (session.env().monotonic_ns() - begin_ns) / kNsPerSecond;
    if (!has_told && waited_seconds >= how.silent_seconds) {
      tell_holder(session, directory, locked.error());
      has_told = true;
    }
    if (how.seconds_max != 0 && waited_seconds >= how.seconds_max) {
      return session.fail(locked.error(), fmt::format("waited {} s", how.seconds_max));
    }
    std::this_thread::sleep_for(kInterval);
    locked = try_lock(session, directory);
  }
  if (!locked) return session.fail(locked.error());
  const auto is_whole = are_all_closed(session.env(), directory, locked.value().manifest);
  if (!is_whole) return session.fail(is_whole.error());
  if (is_whole.value()) return kExitDone;
  session.complain(directory,
                   "the process that had it open has not closed it: it was killed, or the machine "
                   "stopped. Mount it once, which recovers it, and unmount it before you copy it");
  return kExitFailed;
}

}  // namespace dgfs::tools
