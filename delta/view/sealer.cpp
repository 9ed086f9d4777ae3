// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/sealer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"

namespace dgfs::view {
namespace {

// How often the thread that closes a layer looks whether the layer is still written to.
constexpr std::chrono::milliseconds kInterval{2};
// How often it tries to remove what a merge leaves; readers of a state may hold it for long.
constexpr int kRemovalsMax = 100;

// Ends the preparation of a seal for the numbers, whether or not the switch has come.
class NumbersOfSeal {
 public:
  explicit NumbersOfSeal(ObjectNumbers& numbers) : numbers_(numbers) {}
  ~NumbersOfSeal() { numbers_.end_seal(); }
  NumbersOfSeal(const NumbersOfSeal&) = delete;
  NumbersOfSeal& operator=(const NumbersOfSeal&) = delete;

 private:
  ObjectNumbers& numbers_;
};

}  // namespace

Sealer::~Sealer() {
  is_ending_ = true;
  join();
}

void Sealer::join() {
  if (closing_.joinable()) closing_.join();
}

void Sealer::fail_store(delta::Store& store, const Error& error) {
  try {
    store.fail(error);
  } catch (const std::bad_alloc&) {  // it is noted nevertheless
  }
}

Result<SealedDelta> Sealer::seal(const delta::SealRequest& request) {
  const std::lock_guard sealing(sealing_);
  join();
  {
    const std::lock_guard lock(state_lock_);
    if (!closed_) {
      return Error(ErrorKind::kIo, 7524,
                   "the layer of the last seal is not closed, and will be when the delta is opened "
                   "again: " +
                       closed_.error().message());
    }
  }
  return make(request);
}

Status Sealer::finish() {
  const std::lock_guard sealing(sealing_);
  join();
  const std::lock_guard lock(state_lock_);
  return closed_;
}

Status Sealer::drop_states(std::span<const delta::StateId> states) {
  const std::lock_guard sealing(sealing_);
  join();
  return delta_.drop_states(states);
}

std::optional<Status> Sealer::closing_state() const {
  const std::lock_guard lock(state_lock_);
  return is_closing_ ? std::nullopt : std::optional(closed_);
}

Result<SealedDelta> Sealer::make(const delta::SealRequest& request) {
  const auto sealed = delta_.newest_store();
  if (delta_.is_unchanged() && !request.even_unchanged) {
    DGFS_CHECK(delta_.name_newest_state(request));
    return SealedDelta{delta_.manifest(), std::nullopt};
  }
  DGFS_CHECK(delta_.check_seal(request));
  const NumbersOfSeal ended(numbers_);
  DGFS_TRY(born, numbers_.begin_seal());
  auto before = generations_in_use();
  DGFS_TRY(plan,
           delta_.prepare_seal(request, born, sealed->sequence() + delta::kBatchesUntilSwitch));
  plan.fresh->hold_log();
  DGFS_TRY(switched, switch_or_give_up(plan, *sealed));
  DGFS_TRY(manifest, make_durable(plan, *sealed, switched.last_sequence));
  plan.fresh->release_log();
  const auto bytes = sealed->layer_bytes();  // before the last checkpoint, which changes it
  auto started = start_closing(std::move(before));
  delta::SealOutcome outcome;
  outcome.layers = delta::layers_of(manifest);
  const auto& layer = manifest.stores[outcome.layers - 1];
  outcome.changes = switched.last_sequence + 1 - layer.first_sequence;
  outcome.switch_ns = switched.took_ns;
  outcome.bytes = bytes;
  if (!started) outcome.unclosed = std::move(started).error();
  return SealedDelta{std::move(manifest), std::move(outcome)};
}

Result<Sealer::Switched> Sealer::switch_or_give_up(delta::SealPlan& plan, delta::Store& sealed) {
  try {
    auto switched = switch_over(plan, sealed);
    if (!switched) delta_.give_up(std::move(plan));
    return switched;
  } catch (const std::bad_alloc&) {
    delta_.give_up(std::move(plan));
    throw;
  }
}

// The fresh store has threads before the first batch, since they may not be started under one.
Result<Sealer::Switched> Sealer::switch_over(const delta::SealPlan& plan, delta::Store& sealed) {
  DGFS_CHECK(plan.fresh->start());
  DGFS_CHECK(sealed.sync());
  auto stores = delta_.stores();
  stores.push_back(plan.fresh);
  std::uint64_t last_sequence = 0;
  bool has_switched = false;
  const auto begin_ns = env_.monotonic_ns();
  generations_.change([&]() -> GenerationRef {
    last_sequence = sealed.sequence();
    if (last_sequence >= plan.next.first_sequence) return nullptr;
    auto next = generation_with(stores, generations_.current()->filters());
    numbers_.switch_over();
    has_switched = true;
    return next;
  });
  if (has_switched) return Switched{last_sequence, env_.monotonic_ns() - begin_ns};
  return Error(ErrorKind::kLimit, 7525, "too many changes came while the seal was prepared");
}

// After an error it is unknown which stack the next opening finds, so neither store may make
// anything durable.
Result<delta::Manifest> Sealer::make_durable(const delta::SealPlan& plan, delta::Store& sealed,
                                             std::uint64_t last_sequence) {
  const auto fail_both = [&](const Error& error) {
    for (delta::Store* store : {&sealed, plan.fresh.get()}) {
      fail_store(*store, error);
      store->release_log();
    }
  };
  try {
    auto made = [&]() -> Result<delta::Manifest> {
      DGFS_CHECK(sealed.sync(last_sequence));
      return delta_.commit_seal(plan, last_sequence);
    }();
    if (!made) fail_both(made.error());
    return made;
  } catch (const std::bad_alloc&) {
    fail_both(out_of_memory_);
    throw;
  }
}

GenerationRef Sealer::generation_with(std::vector<std::shared_ptr<delta::Store>> stores,
                                      std::shared_ptr<const delta::FilterUnion> filters) const {
  const auto current = generations_.current();
  return std::make_shared<const Generation>(current->image(), std::move(stores), current->chunks(),
                                            &orphans_, std::move(filters),
                                            current->reserved_by_base());
}

Status Sealer::start_closing(std::vector<std::weak_ptr<const Generation>> before) {
  {
    const std::lock_guard lock(state_lock_);
    is_closing_ = true;
  }
  try {
    closing_ = std::thread([this, before = std::move(before)] { close_layer(before); });
    return ok();
  } catch (const std::exception&) {  // no thread, or no memory for one
    const std::lock_guard lock(state_lock_);
    is_closing_ = false;
    closed_ = no_thread_;
    return no_thread_;
  }
}

void Sealer::close_layer(const std::vector<std::weak_ptr<const Generation>>& before) {
  Status closed = ok();
  try {
    closed = close_in_steps(before);
  } catch (const std::exception&) {
    closed = std::move(unclosed_);
  }
  const std::lock_guard lock(state_lock_);
  closed_ = std::move(closed);
  is_closing_ = false;
}

// Operations of generations before the switch may wait for room in the sealed store, or sync it.
// The generation of the switch shows tables and old blocks of it, which go with that generation.
Status Sealer::close_in_steps(const std::vector<std::weak_ptr<const Generation>>& before) {
  const Error given_up(ErrorKind::kInterrupted, 7529, "the view ended before the layer was closed");
  for (const auto& generation : before) {
    if (!wait_for_end(generation)) return given_up;
  }
  DGFS_CHECK(delta_.begin_closing());
  if (!wait_for_end(renew_generation())) return given_up;
  DGFS_CHECK(delta_.end_closing());
  replaced_ = {renew_generation()};
  return ok();
}

// Returns the generation that was replaced.
std::weak_ptr<const Generation> Sealer::renew_generation() {
  std::weak_ptr<const Generation> replaced = generations_.current();
  auto stores = delta_.stores();
  auto filters = filters_of_layers(stores);
  const auto next = generation_with(std::move(stores), std::move(filters));
  generations_.change([&] { return next; });
  return replaced;
}

std::vector<std::weak_ptr<const Generation>> Sealer::generations_in_use() const {
  auto in_use = replaced_;
  std::erase_if(in_use, [](const auto& generation) { return generation.expired(); });
  in_use.emplace_back(generations_.current());
  return in_use;
}

// All memory is there before the manifest changes. If that fails, it is unknown which stack the
// next opening finds, so nothing more is made durable.
Status Sealer::put_base(const delta::BasePlan& plan, std::shared_ptr<const reader::Image> base) {
  const std::lock_guard sealing(sealing_);
  join();
  auto stores = delta_.stores();
  if (plan.layers >= stores.size()) {
    return Error(ErrorKind::kInvalidArgument, 7619, "a base of layers that are not there");
  }
  DGFS_CHECK(check_objects_end(*base, stores[plan.layers]->parameters().born_object));
  const auto live = stores.back();
  DGFS_CHECK(live->sync());
  stores.erase(stores.begin(), stores.begin() + static_cast<std::ptrdiff_t>(plan.layers));
  auto filters = filters_of_layers(stores);
  const auto current = generations_.current();
  const auto next = std::make_shared<const Generation>(
      std::move(base), std::move(stores), current->chunks(), &orphans_, std::move(filters),
      std::max(current->reserved_by_base(), plan.base.end_of_numbers));
  auto in_use = generations_in_use();
  DGFS_TRY(prepared, delta_.prepare_base(plan));
  try {
    if (auto committed = delta_.commit_base(std::move(prepared)); !committed) {
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

Status Sealer::end_merge() {
  std::vector<std::weak_ptr<const Generation>> before;
  {
    const std::lock_guard sealing(sealing_);
    join();
    before = replaced_;
  }
  for (const auto& generation : before) {
    if (!wait_for_end(generation)) {
      return Error(ErrorKind::kInterrupted, 7620, "the view ended before the merge did");
    }
  }
  // Whoever let a generation go last may still be closing its files.
  for (int attempt = 0;; ++attempt) {
    {
      const std::lock_guard sealing(sealing_);
      join();
      DGFS_TRY(all_gone, delta_.remove_unneeded());
      if (all_gone) return ok();
      if (attempt == kRemovalsMax || is_ending_) {
        return Error(ErrorKind::kBusy, 7636, "another process reads them");
      }
    }
    std::this_thread::sleep_for(kInterval);
  }
}

Result<bool> Sealer::remove_unneeded() {
  const std::unique_lock sealing(sealing_, std::try_to_lock);
  if (!sealing.owns_lock() || !closing_state()) return false;
  return delta_.remove_unneeded();
}

bool Sealer::wait_for_end(const std::weak_ptr<const Generation>& generation) const {
  while (!generation.expired() && !is_ending_) std::this_thread::sleep_for(kInterval);
  return generation.expired();
}

}  // namespace dgfs::view
