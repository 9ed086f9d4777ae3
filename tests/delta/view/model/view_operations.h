// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewOperations: random operations on a View and on a model of it, which must give the same
// answers.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "delta/view/view.h"
#include "tests/delta/view/model/object_pairs.h"
#include "tests/delta/view/model/operation_maker.h"
#include "tests/delta/view/model/tree_dump.h"
#include "tests/delta/view/stepping_env.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// Returns the first difference between a view and a model in names, attributes, xattrs, targets
/// and paths, also of objects without a name; empty: no difference. It adds no failure, so that a
/// crash test can look for the state of a view. Reads the whole tree.
[[nodiscard]] std::string difference(const view::View& view, const ModelTree& model,
                                     const ObjectPairs& pairs, const DumpOptions& options = {});
/// The same without objects that have no name: no name leads to them in a state of the past.
[[nodiscard]] std::string difference_of_names(const view::View& view, const ModelTree& model,
                                              const ObjectPairs& pairs,
                                              const DumpOptions& options = {});

/// For one thread.
class ViewOperations {
 public:
  enum class Step {
    kAgreed,   ///< both did it, or both failed for the same reason
    kRefused,  ///< the view refused for a reason of its store; the model did not do it
    kDiffers,  ///< a failure was added
  };

  /// Does an operation, with numbers of the view, on the view.
  using Perform = std::function<OperationResult(const Operation&, view::View&)>;

  /// @param view    an image as it was packed, opened with `clock`
  /// @param image   the image of the view
  /// @param clock   goes on by a second before each operation
  /// @param random  makes the operations
  /// All must outlive this, except `image`, which only the constructor uses.
  ViewOperations(view::View& view, const reader::Image& image, SteppingEnv& clock, Random& random,
                 const OperationLimits& limits = {});

  /// From now on kIo, kNoSpace and kLimit of the view are no difference.
  void allow_refusals() { may_refuse_ = true; }
  /// From now on two different errors are no difference. For operations that were made for another
  /// tree, and may have two reasons to fail in this one.
  void allow_other_errors() { may_fail_otherwise_ = true; }
  /// Whether blocks are compared from now on. A merge in another thread counts them anew at any
  /// moment.
  void compare_blocks(bool compares) { compares_blocks_ = compares; }
  [[nodiscard]] bool compares_blocks() const { return compares_blocks_; }
  /// Sets the blocks of a file of the model, as a merge has counted them.
  void set_blocks(ModelId id, std::uint64_t blocks) { model_.set_blocks(id, blocks); }
  /// From now on operations on the view go through `perform`, with faults for example.
  void perform_with(Perform perform) { perform_ = std::move(perform); }

  /// Does a random operation on both.
  Step step() { return run(next()); }
  /// A random operation for run(), made for the current tree.
  [[nodiscard]] Operation next() { return maker_.next(model_); }
  /// Does this operation, with ids of the model.
  Step run(const Operation& operation);
  /// Adds a failure unless view and model are equal in everything.
  bool expect_equal() const;

  /// The tree as it should be. A copy of it is a state to which reopened() can return.
  [[nodiscard]] const ModelTree& model() const { return model_; }
  [[nodiscard]] view::View& view() const { return *view_; }
  [[nodiscard]] const ObjectPairs& pairs() const { return pairs_; }
  /// Continues with a view that was opened again after a close or a crash. Objects without a name
  /// in `model` end.
  /// @param model  the state of the view: an earlier value of model()
  void reopened(view::View& view, const ModelTree& model);
  /// The number of successful operations, by their kind.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& done() const { return done_; }

 private:
  [[nodiscard]] Operation for_view(Operation operation) const;
  [[nodiscard]] OperationResult for_model(OperationResult result) const;
  /// Pairs the made objects. Returns false if the view has used a number twice.
  [[nodiscard]] bool add_made(const Operation& operation, const OperationResult& seen,
                              const OperationResult& expected);
  /// Does the same for a whiteout, which rename() does not return.
  [[nodiscard]] bool add_whiteout(const Operation& operation);
  /// Returns whether both give the same attributes of an object, or none.
  [[nodiscard]] bool expect_same_attributes(ModelId id) const;

  view::View* view_;
  ModelTree model_;
  ObjectPairs pairs_;
  SteppingEnv& clock_;
  OperationMaker maker_;
  bool may_refuse_ = false;
  bool may_fail_otherwise_ = false;
  bool compares_blocks_ = true;
  Perform perform_;
  std::map<std::string, std::uint64_t> done_;
};

}  // namespace dgfs::test
