// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A packed tree in memory with a delta over it, small enough that a few operations have the same
// effects as many. The start for tests of the view.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "delta/view/view.h"
#include "storage/testing/counting_env.h"
#include "tests/delta/view/stepping_env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/sealed_delta.h"

namespace dgfs::test {

/// An image, its delta, and a view of both.
class ViewedTree {
 public:
  static constexpr const char* kDelta = "/delta";

  ViewedTree() {
    options_.create = true;
    options_.parameters = {1024, 4096, 4, 1 << 18, 256};
    options_.table_bytes = 8192;
    options_.dirty_bytes = 16384;
    options_.level = 0;
  }

  /// Fill it before open().
  [[nodiscard]] PackedTree& tree() { return tree_; }
  [[nodiscard]] SteppingEnv& clock() { return clock_; }
  [[nodiscard]] view::View& view() { return *view_; }
  [[nodiscard]] delta::DeltaDirectory& delta() { return *delta_; }
  [[nodiscard]] const reader::Image& image() const { return *image_; }
  [[nodiscard]] delta::StoreOptions& options() { return options_; }

  [[nodiscard]] view::ViewOptions& view_options() { return view_options_; }
  void set_chunk_bytes(std::uint64_t bytes) { chunk_bytes_ = bytes; }

  [[nodiscard]] builder::BuildOptions& build_options() { return build_options_; }

  void open() {
    tree_.pack(build_options_);
    image_ = tree_.open();
    expect_ok(delta::DeltaDirectory::create(clock_, kDelta, image_->superblock().uuid,
                                            image_->superblock().next_inode, options_,
                                            chunk_bytes_));
    open_delta();
  }
  /// Opens again after a clean end.
  void reopen() {
    expect_ok(view_->close());
    close_delta();
    open_delta();
  }
  /// The same, whether or not the view could be closed.
  void reopen_after_failure() {
    static_cast<void>(view_->close());
    close_delta();
    open_delta();
  }
  /// The same, with empty caches of the image.
  void reopen_image() {
    expect_ok(view_->close());
    close_delta();
    image_ = tree_.open();
    open_delta();
  }
  /// Calls by file.
  [[nodiscard]] std::map<std::string, storage::IoCounts> delta_calls() const {
    return counting_->all();
  }
  /// Closes view and delta, and opens them again after a change of what is on disk.
  void while_closed(const std::function<void()>& change) {
    expect_ok(view_->close());
    close_delta();
    change();
    open_delta();
  }
  /// Turns the current stack into a layer, and puts an empty store over it.
  void seal() {
    expect_ok(view_->close());
    const auto end = view_->end_of_objects();
    close_delta();
    expect_ok(seal_delta(clock_, kDelta, end, options_));
    open_delta();
  }

  /// The same while the view is used; a thread closes the layer afterwards.
  delta::SealOutcome seal_live(const std::string& name = {}) {
    const auto sealed = value_of(view_->seal({name, {}}));
    EXPECT_TRUE(sealed.outcome);
    return sealed.outcome.value_or(delta::SealOutcome());
  }
  /// Waits until no layer is being closed.
  void wait_until_closed() {
    while (!view_->closing_state()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    expect_ok(*view_->closing_state());
  }
  /// The tree of a state, and the layers that show it.
  struct Past {
    std::unique_ptr<delta::DeltaDirectory> delta;
    std::unique_ptr<view::View> view;
  };
  /// @param layers  that the state shows
  [[nodiscard]] Past look_back(std::size_t layers) {
    Past past;
    past.delta = value_of(delta::DeltaDirectory::open_state(
        clock_, kDelta, [&](const delta::Manifest&) -> Result<std::size_t> { return layers; },
        options_));
    past.view = value_of(view::View::open(clock_, *image_, *past.delta, view_options_));
    return past;
  }

 private:
  void close_delta() {
    view_ = nullptr;
    delta_ = nullptr;
  }
  void open_delta() {
    delta_ = value_of(delta::DeltaDirectory::open(clock_, kDelta, options_));
    view_ = value_of(view::View::open(clock_, *image_, *delta_, view_options_));
  }

  PackedTree tree_;
  std::unique_ptr<storage::CountingEnv> counting_ = storage::make_counting_env(tree_.memory());
  SteppingEnv clock_{*counting_};
  builder::BuildOptions build_options_;
  delta::StoreOptions options_;
  view::ViewOptions view_options_{4, 64};
  std::uint64_t chunk_bytes_ = 512;
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
};

}  // namespace dgfs::test
