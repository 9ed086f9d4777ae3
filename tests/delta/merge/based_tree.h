// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An image with a delta and a view of both, as ViewedTree has them, whose layers are merged into
// bases: step by step, in a thread, or between two openings.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "delta/merge/live/live_merge.h"
#include "tests/delta/view/stepping_env.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {

/// How merges are tested: few bytes of memory, and chunks and stores so small that a few operations
/// have the effects of many.
[[nodiscard]] delta::StoreOptions based_store_options();
[[nodiscard]] merge::BaseSource base_source(const std::string& directory);
[[nodiscard]] builder::BuildOptions base_build_options();

/// Opens the image below the stores of a delta over the image of a PackedTree. Errors: those of
/// bottom_of_delta().
[[nodiscard]] Result<std::shared_ptr<const reader::Image>> open_bottom(
    storage::Env& env, const std::string& directory, const delta::Manifest& manifest);
/// Makes a base of the oldest layers while a view is open, as LiveMerge does. Errors: those of
/// make_base().
[[nodiscard]] Result<merge::MadeBase> make_live_base(
    storage::Env& env, const view::View& view, const std::string& directory, std::size_t layers,
    const merge::RepackRules& rules = {},
    const builder::BuildOptions& options = base_build_options());
/// Opens a base that was made, and puts it below the stores.
[[nodiscard]] Status put_live_base(storage::Env& env, view::View& view,
                                   const delta::DeltaDirectory& delta, const std::string& directory,
                                   const merge::MadeBase& made);
/// Names in the directory of a delta that its manifest does not explain, but for those in `others`.
[[nodiscard]] std::set<std::string> leftovers_in(storage::Env& env, const std::string& directory,
                                                 const delta::Manifest& manifest,
                                                 const std::set<std::string>& others = {});

/// For one thread.
class BasedTree {
 public:
  static constexpr const char* kDelta = "/delta";

  /// Fill it before open().
  [[nodiscard]] PackedTree& tree() { return tree_; }
  [[nodiscard]] SteppingEnv& clock() { return clock_; }
  [[nodiscard]] view::View& view() { return *view_; }
  [[nodiscard]] delta::DeltaDirectory& delta() { return *delta_; }
  /// Below the stores now.
  [[nodiscard]] std::shared_ptr<const reader::Image> bottom() const { return view_->image(); }
  [[nodiscard]] std::size_t layers() const;

  /// Packs the tree, and makes and opens its delta.
  void open(const builder::BuildOptions& options = {});
  /// Ends cleanly.
  void close();
  /// Ends as a killed process does, with all changes durable.
  void drop();
  void open_again();

  void wait_until_closed() const;
  /// The tree of a state, and the layers that show it.
  struct Past {
    std::unique_ptr<delta::DeltaDirectory> delta;
    std::unique_ptr<view::View> view;
  };
  /// @param layers  that the state shows, at least one
  [[nodiscard]] Past look_back(std::size_t layers);
  /// The blocks of a file that writes have added over those of the image or base.
  [[nodiscard]] std::uint64_t blocks_of(view::ObjectNumber file) const;
  [[nodiscard]] merge::LiveMergeOptions live_options() const;

 private:
  PackedTree tree_;
  SteppingEnv clock_{tree_.memory()};
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
};

}  // namespace dgfs::test
