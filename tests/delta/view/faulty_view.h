// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FaultyView: a view whose storage can be made to fail, operations on it and on a model, and the
// states that the view may be in when it is opened again.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "storage/memory/crash_loss.h"
#include "storage/testing/faulty_env.h"
#include "tests/delta/view/model/view_operations.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {

/// For one thread. The store has no threads, so that each run is the same.
class FaultyView {
 public:
  /// Options for nodes of a few hundred bytes. `cache_bytes` holds for the image, too.
  static delta::StoreOptions small_options();
  /// Limits for a tree that is compared quickly.
  static OperationLimits small_limits();

  /// Makes an image with a few files and directories, and opens the view.
  FaultyView(std::uint64_t seed, const delta::StoreOptions& options, const OperationLimits& limits);

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.memory(); }
  /// Faults of the lowest storage; they hit the image, too.
  [[nodiscard]] storage::FaultyEnv& faults() { return *faulty_; }
  void disarm() { faulty_->arm({}); }
  /// Options of the store, used from the next opening on.
  [[nodiscard]] delta::StoreOptions& options() { return options_; }
  [[nodiscard]] SteppingEnv& clock() { return clock_; }
  [[nodiscard]] const reader::Image& image() const { return *image_; }
  [[nodiscard]] delta::DeltaDirectory& delta() { return *delta_; }
  [[nodiscard]] view::View& view() { return *view_; }
  [[nodiscard]] ViewOperations& operations() { return *operations_; }
  [[nodiscard]] const ModelTree& model() const { return operations_->model(); }

  [[nodiscard]] Operation next_operation() { return maker_.next(model()); }
  /// The view does the operation as the model does, or refuses it; the error is then in refusal().
  ViewOperations::Step run(const Operation& operation);
  /// The error of the last operation; none: it was not refused.
  [[nodiscard]] std::optional<ErrorKind> refusal() const { return refusal_; }
  /// Does an operation on the view without this class's additions.
  static OperationResult perform_plainly(const Operation& operation, view::View& view);
  void perform_with(ViewOperations::Perform perform) { perform_ = std::move(perform); }
  /// From now on a crash leaves the model as it is now, or a later one.
  void note_synced() { states_ = {model()}; }

  /// Stops keeping states, which takes time with many objects. From then on only reopen() may open
  /// the view again.
  void keep_no_states() { keeps_states_ = false; }

  /// Returns whether view and model are equal; adds a failure if not.
  bool expect_equal() const { return operations_->expect_equal(); }
  /// Drops the view, as the end of its process does.
  void drop();
  /// Drops the view; unsynced bytes are lost, all or some.
  void crash(storage::CrashLoss loss, std::uint64_t seed);
  /// Opens image and delta.
  void open_layers();
  Status open_view();
  /// Call it after open_view(): expects the view in a state not older than the last synced one, and
  /// continues from there.
  void expect_state();
  /// Opens again after a clean end.
  void reopen();

 private:
  PackedTree tree_;
  delta::StoreOptions options_;
  Random random_;
  OperationMaker maker_;
  std::unique_ptr<storage::FaultyEnv> faulty_;
  SteppingEnv clock_;
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
  std::optional<ViewOperations> operations_;
  ViewOperations::Perform perform_ = perform_plainly;
  std::optional<ErrorKind> refusal_;
  bool keeps_states_ = true;
  std::vector<ModelTree> states_;  ///< from the last synced state to the current one
};

/// Whether the operation makes room; the view accepts such operations when it refuses others.
[[nodiscard]] bool removes(const Operation& operation);

}  // namespace dgfs::test
