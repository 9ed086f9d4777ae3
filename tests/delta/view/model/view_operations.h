// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewOperations: random operations on a View and on a model of it, which must answer alike.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "delta/view/view.h"
#include "tests/delta/view/model/object_pairs.h"
#include "tests/delta/view/model/operation_maker.h"
#include "tests/delta/view/stepping_env.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// The first difference between a view and a model, of names, attributes, xattrs, targets and
/// paths, of what has lost its name, too; empty: there is none. It adds no failure, so that a crash
/// test can look for the state that a view is in. Reads the whole tree.
[[nodiscard]] std::string difference(const view::View& view, const ModelTree& model,
                                     const ObjectPairs& pairs);

/// For one thread.
class ViewOperations {
 public:
  enum class Step {
    kAgreed,   ///< both did it, or both failed for the same reason
    kRefused,  ///< the view could not, for a reason of its store; the model has not done it
    kDiffers,  ///< a failure was added
  };

  /// Does an operation, whose numbers are those of the view, to the view.
  using Perform = std::function<OperationResult(const Operation&, view::View&)>;

  /// @param view    an image as it was packed, opened in `clock`
  /// @param image   of the view
  /// @param clock   goes on by a second before each operation
  /// @param random  makes the operations
  /// All must outlive this; `image` only the constructor.
  ViewOperations(view::View& view, const reader::Image& image, SteppingEnv& clock, Random& random,
                 const OperationLimits& limits = {});

  /// kIo, kNoSpace and kLimit of the view are no difference from now on.
  void allow_refusals() { may_refuse_ = true; }
  /// Two errors that differ are no difference from now on: for operations that were made for
  /// another tree, which may have two reasons to fail in this one.
  void allow_other_errors() { may_fail_otherwise_ = true; }
  /// Operations are done so to the view from now on: with faults, say.
  void perform_with(Perform perform) { perform_ = std::move(perform); }

  /// Does a random operation to both.
  Step step() { return run(next()); }
  /// A random operation for run(), on the tree as it is.
  [[nodiscard]] Operation next() { return maker_.next(model_); }
  /// Does this one, whose ids are those of the model.
  Step run(const Operation& operation);
  /// Adds a failure unless view and model are equal in everything.
  bool expect_equal() const;

  /// The tree as it should be. A copy of it is a state to which reopened() can return.
  [[nodiscard]] const ModelTree& model() const { return model_; }
  [[nodiscard]] view::View& view() const { return *view_; }
  [[nodiscard]] const ObjectPairs& pairs() const { return pairs_; }
  /// Goes on with a view that was opened again: one that was closed, or has crashed. What has no
  /// name in `model` ends.
  /// @param model  the state that the view is in: one that model() has been
  void reopened(view::View& view, const ModelTree& model);
  /// Operations that went well, by their kind.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& done() const { return done_; }

 private:
  [[nodiscard]] Operation for_view(Operation operation) const;
  [[nodiscard]] OperationResult for_model(OperationResult result) const;
  /// Makes a pair of what was made. False: the view has given a number twice.
  [[nodiscard]] bool add_made(const Operation& operation, const OperationResult& seen,
                              const OperationResult& expected);
  /// Likewise of a whiteout, of which rename() tells nothing.
  [[nodiscard]] bool add_whiteout(const Operation& operation);
  /// Whether both say the same of an object, or that there is none.
  [[nodiscard]] bool expect_same_attributes(ModelId id) const;

  view::View* view_;
  ModelTree model_;
  ObjectPairs pairs_;
  SteppingEnv& clock_;
  OperationMaker maker_;
  bool may_refuse_ = false;
  bool may_fail_otherwise_ = false;
  Perform perform_;
  std::map<std::string, std::uint64_t> done_;
};

}  // namespace dgfs::test
