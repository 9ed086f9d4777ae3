// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A view in memory, and merges in a thread beside it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "delta/merge/live/live_merge.h"
#include "storage/forwarding_env.h"
#include "tests/delta/merge/live_tree.h"

namespace dgfs::test {

// The disk in memory has a clock that stands still.
class RealClock final : public storage::ForwardingEnv {
 public:
  explicit RealClock(storage::Env& base) : EnvForwarder(base) {}
  std::uint64_t monotonic_ns() const override {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  }
};

class LiveMergeTest : public testing::Test {
 protected:
  LiveMergeTest() {
    tree_.tree().directory("d");
    tree_.tree().file("d/f", "of the image");
    tree_.tree().file("large", pattern(50'000, 1));
    tree_.open();
    write_at(view(), tree_.object("large"), 100, "changed");
    make_file(view(), "new", std::string(20'000, 'n'));
    options_.directory = LiveTree::kDelta;
    options_.image_path = kImage;
    options_.own_image_path = kImage;
    options_.memory_bytes = std::size_t{8} << 20;
    options_.tell = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      told_.push_back(text);
    };
  }
  ~LiveMergeTest() override { is_free_ = true; }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  merge::LiveMerge& open() {
    merge_ = std::make_unique<merge::LiveMerge>(clock_, view(), tree_.delta(), options_);
    return *merge_;
  }
  merge::MergeStatus run(const merge::MergeRequest& request = {}) {
    value_of(merge_->start(request));
    merge_->wait();
    return merge_->status();
  }
  void reopen() {
    merge_ = nullptr;
    tree_.reopen_after_failure();
  }
  [[nodiscard]] std::string told() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const auto& text : told_) all += text + "\n";
    return all;
  }
  /// The merge stops at its first write of a base until is_free_ is set.
  void hold() {
    tree_.set_hook([this](storage::CallKind kind, const std::string& path) -> Status {
      if (kind != storage::CallKind::kWrite || path.find("base.") == std::string::npos) return ok();
      is_held_ = true;
      while (!is_free_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return ok();
    });
  }
  void wait_until_held() {
    while (!is_held_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// The storage call `nth` of that kind on MANIFEST fails once the base is named.
  void fail_manifest(storage::CallKind wanted, int nth, ErrorKind error) {
    tree_.set_hook([this, wanted, error, left = nth](storage::CallKind kind,
                                                     const std::string& path) mutable -> Status {
      if (path.find("base.") != std::string::npos) is_held_ = true;
      if (!is_held_ || kind != wanted || !path.ends_with("/MANIFEST")) return ok();
      if (left == 0 || --left != 0) return ok();
      return Error(error, 1133, "a fault").in_file(path);
    });
  }

  LiveTree tree_;
  RealClock clock_{tree_.clock()};
  merge::LiveMergeOptions options_;
  std::atomic<bool> is_held_ = false;
  std::atomic<bool> is_free_ = false;
  std::mutex mutex_;
  std::vector<std::string> told_;
  std::unique_ptr<merge::LiveMerge> merge_;  ///< ends first
};

}  // namespace dgfs::test
