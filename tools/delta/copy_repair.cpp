// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/copy_repair.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "delta/store/copied_store.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/store_check.h"
#include "delta/store/store_files.h"
#include "tools/cli/progress_bar.h"

namespace dgfs::tools {
namespace {

Result<bool> is_torn(storage::Env& env, const std::string& store) {
  DGFS_TRY(superblock, delta::read_store_superblock(env, store));
  const auto origin = delta::read_origin(env, store, superblock);
  if (origin) return origin.value() == delta::Origin::kUnproven;
  if (origin.error().kind() != ErrorKind::kChanged) return origin.error();
  return true;
}

Result<std::vector<std::string>> torn_stores(storage::Env& env, const std::string& directory,
                                             const delta::Manifest& manifest) {
  std::vector<std::string> torn;
  for (const auto& store : manifest.stores) {
    const auto path = directory + "/" + store.name();
    DGFS_TRY(is_one, is_torn(env, path));
    if (is_one) torn.push_back(path);
  }
  return torn;
}

Status check_all(const Session& session, const std::string& store, bool quiet) {
  ProgressBar bar(session.io(), quiet);
  delta::StoreCheckOptions how;
  how.accepts_torn_copy = true;
  how.progress = [&](const delta::CheckProgress& now) {
    if (now.total_bytes == 0) return bar.update("counting", now.nodes, 0);
    bar.update("checking", now.read_bytes, now.total_bytes);
  };
  how.stop = &session.io().stop;
  const auto checked = delta::check_store(session.env(), store, how);
  bar.clear();
  return checked ? ok() : Status(checked.error());
}

Result<std::uint64_t> adopt(storage::Env& env, const std::string& directory) {
  delta::StoreOptions options;
  options.accepts_torn_copy = true;
  DGFS_TRY(delta, delta::DeltaDirectory::open(env, directory, options));
  const auto recovered = delta->newest().counters().recovered;
  DGFS_CHECK(delta->close());
  return recovered;
}

}  // namespace

int repair_copy(const Session& session, const std::string& directory, bool quiet) {
  auto& env = session.env();
  {
    const auto locked = delta::lock_manifest(env, directory, delta::StoreAccess::kReadOnly);
    if (!locked) return session.fail(locked.error());
    const auto torn = torn_stores(env, directory, locked.value().manifest);
    if (!torn) return session.fail(torn.error());
    if (torn.value().empty()) {
      session.print(
          fmt::format("{}: is not a torn copy; nothing was changed\n", session.shown(directory)));
      return kExitDone;
    }
    for (const auto& store : torn.value()) {
      if (const auto checked = check_all(session, store, quiet); !checked) {
        return session.fail(checked.error(),
                            "the copy does not hold together, and nothing was changed");
      }
    }
  }
  const auto recovered = adopt(env, directory);
  if (!recovered) return session.fail(recovered.error());
  session.print(fmt::format(
      "{}: keeps what the copy has, with {} changes from its log; changes that were made shortly "
      "before or during the copying may be missing\n",
      session.shown(directory), recovered.value()));
  return kExitDone;
}

}  // namespace dgfs::tools
