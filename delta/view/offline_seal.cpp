// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/offline_seal.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/view/memory_guard.h"
#include "delta/view/reserved_numbers.h"

namespace dgfs::view {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{64} << 20;
// Nobody writes to the next store before a mount opens it, so it needs little space in reserve.
constexpr std::size_t kTableBytes = std::size_t{1} << 20;

}  // namespace

delta::StoreOptions options_to_seal() {
  delta::StoreOptions options;
  options.memory_bytes = kMemoryBytes;
  options.table_bytes = kTableBytes;
  options.dirty_bytes = kTableBytes;
  return options;
}

Result<ObjectNumber> reserved_in(const delta::DeltaDirectory& delta) {
  std::vector<delta::Snapshot> stores;
  for (const auto& store : delta.stores()) stores.push_back(store->snapshot("seal"));
  DGFS_TRY(reserved, end_of_reserved(delta::StackSnapshot(std::move(stores))));
  // A layer may have reserved numbers for the store over it, and be in the base by now.
  const auto& base = delta.manifest().base;
  return base ? std::max(reserved, base->end_of_numbers) : reserved;
}

Result<SealedDelta> seal_offline(storage::Env& env, const std::string& directory,
                                 const delta::SealRequest& request) {
  return whole_or_refused([&]() -> Result<SealedDelta> {
    DGFS_TRY(delta, delta::DeltaDirectory::open(env, directory, options_to_seal()));
    auto sealed = seal_open(*delta, request);
    // So that the delta can be copied; if that fails, it is as after a crash.
    if (sealed) static_cast<void>(delta->close());
    return sealed;
  });
}

Result<SealedDelta> seal_open(delta::DeltaDirectory& delta, const delta::SealRequest& request) {
  if (delta.is_unchanged() && !request.even_unchanged) {
    DGFS_CHECK(delta.name_newest_state(request));
    return SealedDelta{delta.manifest(), std::nullopt};
  }
  DGFS_TRY(reserved, reserved_in(delta));
  const auto end = std::max(reserved, delta.manifest().stores.back().born_object);
  DGFS_TRY(outcome, delta.seal(request, end));
  return SealedDelta{delta.manifest(), std::move(outcome)};
}

}  // namespace dgfs::view
