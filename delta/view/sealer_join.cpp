// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <memory>
#include <new>
#include <utility>

#include "delta/view/generation.h"
#include "delta/view/sealer.h"

namespace dgfs::view {

Result<delta::JoinPlan> Sealer::begin_join(const delta::LayerRange& layers) {
  const std::lock_guard sealing(sealing_);
  join();
  return delta_.begin_join(layers);
}

void Sealer::give_up_join(const delta::JoinPlan& plan) noexcept {
  const std::lock_guard sealing(sealing_);
  join();
  delta_.give_up(plan);
}

// As for a base: all memory is there before the manifest changes, and the live store stays.
Status Sealer::put_join(const delta::JoinPlan& plan) {
  const std::lock_guard sealing(sealing_);
  join();
  const auto live = delta_.newest_store();
  DGFS_TRY(prepared, delta_.prepare_join(plan));
  auto filters = filters_of_layers(prepared.stores);
  const auto next = generation_with(prepared.stores, std::move(filters));
  auto in_use = generations_in_use();
  try {
    if (auto committed = delta_.commit_join(std::move(prepared)); !committed) {
      fail_store(*live, committed.error());
      return committed;
    }
  } catch (const std::bad_alloc&) {
    fail_store(*live, out_of_memory_);
    throw;
  }
  generations_.change([&] { return next; });
  replaced_ = std::move(in_use);
  return ok();
}

}  // namespace dgfs::view
