// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sealer: seals the live store of a view while the view is used.
//
//   1. makes the next store, which logs nothing yet, and syncs the live one
//   2. closes the gate for writers, takes a snapshot of the live store, opens the gate
//   3. syncs what the live store took in meanwhile, and changes the manifest: the seal is made
//   4. in a thread: once nobody uses the generation before, closes the layer
//
// It also puts the base of a merge below the stores, and a joined layer in place of others. What
// was there before shows the same tree, so whatever was decided over the one holds over the other,
// and no writer has to wait.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/view/generations.h"
#include "delta/view/object_numbers.h"
#include "delta/view/sealed_delta.h"

namespace dgfs::view {

/// Thread-safe.
class Sealer {
 public:
  /// All must outlive it.
  Sealer(storage::Env& env, delta::DeltaDirectory& delta, Generations& generations,
         ObjectNumbers& numbers, const Orphans& orphans)
      : env_(env), delta_(delta), generations_(generations), numbers_(numbers), orphans_(orphans) {}
  /// Gives up a layer that nobody closes yet, as a crash does.
  ~Sealer();
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  /// One seal at a time; waits until the layer of the one before is closed. Writers wait only for
  /// the second step. Errors: as of View::seal().
  [[nodiscard]] Result<SealedDelta> seal(const delta::SealRequest& request);
  /// As View::drop_states(). Waits for a seal that is under way, and until its layer is closed.
  [[nodiscard]] Status drop_states(std::span<const delta::StateId> states);
  /// As View::put_base(), but for the objects without a name. Waits for a seal that is under way,
  /// and until its layer is closed.
  [[nodiscard]] Status put_base(const delta::BasePlan& plan,
                                std::shared_ptr<const reader::Image> base);
  // As the calls of View; each waits for a seal that is under way, and until its layer is closed.
  [[nodiscard]] Result<delta::JoinPlan> begin_join(const delta::LayerRange& layers);
  void give_up_join(const delta::JoinPlan& plan) noexcept;
  [[nodiscard]] Status put_join(const delta::JoinPlan& plan);
  /// As View::end_merge(). Errors: kInterrupted (the view ends).
  [[nodiscard]] Status end_merge();
  /// As View::remove_unneeded().
  [[nodiscard]] Result<bool> remove_unneeded();
  /// Waits until no layer is being closed. Errors: why the last one could not be closed.
  [[nodiscard]] Status finish();
  /// The same without waiting; none: a layer is being closed.
  [[nodiscard]] std::optional<Status> closing_state() const;

 private:
  // With sealing_ held:
  [[nodiscard]] Result<SealedDelta> make(const delta::SealRequest& request);
  struct Switched {
    std::uint64_t last_sequence;  ///< of the sealed store
    std::uint64_t took_ns;        ///< writers were held up for no longer than this
  };
  [[nodiscard]] Result<Switched> switch_or_give_up(delta::SealPlan& plan, delta::Store& sealed);
  [[nodiscard]] Result<Switched> switch_over(const delta::SealPlan& plan, delta::Store& sealed);
  /// Returns the manifest with the layer.
  [[nodiscard]] Result<delta::Manifest> make_durable(const delta::SealPlan& plan,
                                                     delta::Store& sealed,
                                                     std::uint64_t last_sequence);
  [[nodiscard]] Status start_closing(std::vector<std::weak_ptr<const Generation>> before);
  void join();
  static void fail_store(delta::Store& store, const Error& error);
  [[nodiscard]] std::vector<std::weak_ptr<const Generation>> generations_in_use() const;

  void close_layer(const std::vector<std::weak_ptr<const Generation>>& before);
  [[nodiscard]] Status close_in_steps(const std::vector<std::weak_ptr<const Generation>>& before);
  [[nodiscard]] bool wait_for_end(const std::weak_ptr<const Generation>& generation) const;
  [[nodiscard]] std::weak_ptr<const Generation> renew_generation();
  [[nodiscard]] GenerationRef generation_with(
      std::vector<std::shared_ptr<delta::Store>> stores,
      std::shared_ptr<const delta::FilterUnion> filters) const;

  storage::Env& env_;
  delta::DeltaDirectory& delta_;
  Generations& generations_;
  ObjectNumbers& numbers_;
  const Orphans& orphans_;

  std::mutex sealing_;  ///< of the seal that is under way; guards closing_
  std::thread closing_;
  /// Replaced since the last layer was closed, and perhaps still in use: their operations may use
  /// the store that the next seal makes a layer. For closing_ while it runs, else under sealing_.
  std::vector<std::weak_ptr<const Generation>> replaced_;
  std::atomic<bool> is_ending_ = false;
  mutable std::mutex state_lock_;  ///< innermost; guards what follows
  bool is_closing_ = false;
  Status closed_ = ok();  ///< result of the last closing
  // Made while there is memory for them.
  const Error out_of_memory_{ErrorKind::kLimit, 7526, "no memory for a seal"};
  /// For the thread that closes a layer; taken once, since then no more seals are made.
  Error unclosed_{ErrorKind::kLimit, 7528, "no memory for closing a layer"};
  const Error no_thread_{ErrorKind::kLimit, 7527, "cannot start a thread"};
};

}  // namespace dgfs::view
