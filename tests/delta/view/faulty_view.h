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

/// For one thread. Without threads of the store: a run is the same each time.
class FaultyView {
 public:
  /// Nodes of a few hundred bytes. `cache_bytes` is of the image, too.
  static delta::StoreOptions small_options();
  /// A tree that is soon compared.
  static OperationLimits small_limits();

  /// With a few files and directories in the image, opened.
  FaultyView(std::uint64_t seed, const delta::StoreOptions& options, const OperationLimits& limits);

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.memory(); }
  /// Below all; of the image, too.
  [[nodiscard]] storage::FaultyEnv& faults() { return *faulty_; }
  void disarm() { faulty_->arm({}); }
  /// Of the store, from the next opening on.
  [[nodiscard]] delta::StoreOptions& options() { return options_; }
  [[nodiscard]] SteppingEnv& clock() { return clock_; }
  [[nodiscard]] const reader::Image& image() const { return *image_; }
  [[nodiscard]] delta::DeltaDirectory& delta() { return *delta_; }
  [[nodiscard]] view::View& view() { return *view_; }
  [[nodiscard]] ViewOperations& operations() { return *operations_; }
  [[nodiscard]] const ModelTree& model() const { return operations_->model(); }

  [[nodiscard]] Operation next_operation() { return maker_.next(model()); }
  /// The view does it as the model does, or refuses it; then the error is in refusal().
  ViewOperations::Step run(const Operation& operation);
  /// Of the last operation; none: it was not refused.
  [[nodiscard]] std::optional<ErrorKind> refusal() const { return refusal_; }
  /// How operations are done to the view: plainly, but for this.
  static OperationResult perform_plainly(const Operation& operation, view::View& view);
  void perform_with(ViewOperations::Perform perform) { perform_ = std::move(perform); }
  /// The model as it is now, or a later one, is there after a crash.
  void note_synced() { states_ = {model()}; }

  /// States are not kept from now on, which takes time where there are many objects: the view is
  /// opened again by reopen() alone.
  void keep_no_states() { keeps_states_ = false; }

  /// Whether view and model are the same; adds a failure where they are not.
  bool expect_equal() const { return operations_->expect_equal(); }
  /// The view goes, as it does when its process ends.
  void drop();
  /// And what was not synced is lost, or some of it.
  void crash(storage::CrashLoss loss, std::uint64_t seed);
  /// Image and delta.
  void open_layers();
  Status open_view();
  /// After open_view(): the view is in a state from the last that was synced on. Operations go on.
  void expect_state();
  /// As after a clean end.
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
  std::vector<ModelTree> states_;  ///< from the last that was synced to the one reached
};

/// Whether it is there to make room: such operations go on where others are refused.
[[nodiscard]] bool removes(const Operation& operation);

}  // namespace dgfs::test
