// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A changed tree in memory whose delta is merged into bases, as dgfs delta merge does it with a
// delta that is not mounted.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/merge/offline_merge.h"
#include "delta/store/directory/states.h"
#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {

class OfflineMergeTest : public testing::Test {
 protected:
  static constexpr const char* kDelta = "/delta";

  PackedTree& tree() { return changed_.tree(); }
  storage::MemoryEnv& memory() { return changed_.memory(); }
  [[nodiscard]] delta::Manifest manifest() {
    return value_of(delta::read_present_manifest(memory(), kDelta));
  }
  [[nodiscard]] std::string base_path() {
    return std::string(kDelta) + "/" + delta::base_file_name(manifest().base.value().number);
  }
  [[nodiscard]] static merge::MergeRequest request_of() {
    merge::MergeRequest request;
    request.image_path = kImage;
    return request;
  }
  /// @param dead_percent  none: all contents
  [[nodiscard]] static merge::MergeRequest request_to_repack(
      std::optional<unsigned> dead_percent = std::nullopt) {
    auto request = request_of();
    request.repack.all = !dead_percent;
    request.repack.dead_percent = dead_percent;
    return request;
  }
  [[nodiscard]] Result<merge::MergeOutcome> try_merge(
      const merge::MergeRequest& request = request_of(), const std::string& image_path = kImage,
      const std::atomic<bool>* stop = nullptr) {
    merge::BaseSource source;
    source.directory = kDelta;
    source.image_path = image_path;
    builder::BuildOptions options;
    options.jobs = 1;
    options.memory_bytes = builder::kMemoryBytesMin;
    options.stop = stop;
    return merge::merge_offline(memory(), source, request, options);
  }
  /// Ends the test program if the merge fails. Expects that it does not change the tree.
  merge::MergeOutcome merge(const merge::MergeRequest& request = request_of(),
                            const std::string& image_path = kImage) {
    auto plan = plan_of(MergeKind::kRepacks);
    plan.build.image_path = "/out/expected-" + std::to_string(merges_++) + ".dgfs";
    changed_.merge(plan);
    auto outcome = value_of(try_merge(request, image_path));
    expect_tree_of(plan.build.image_path);
    return outcome;
  }
  /// Expects that the delta shows the tree of an image, with the same numbers.
  void expect_tree_of(const std::string& image_path) {
    EXPECT_EQ(changed_.difference_from(*changed_.open_image(image_path)), "");
  }
  /// Changes the tree, and seals it as a mount does.
  void seal(const std::function<void(view::View&)>& change, const std::string& name = {}) {
    changed_.change([&](view::View& view) {
      change(view);
      expect_ok(value_of(view.seal({name, {}})).outcome ? Status(ok()) : Status(no_seal()));
    });
  }
  [[nodiscard]] std::vector<std::string> names_in_delta() {
    auto names = value_of(value_of(memory().open_directory(kDelta))->list());
    std::sort(names.begin(), names.end());
    return names;
  }
  [[nodiscard]] std::map<std::string, std::string> all_files() {
    return tree_below(*value_of(memory().open_directory("/")));
  }
  [[nodiscard]] std::string content(const std::string& path) {
    const auto opened = value_of(open_sources(memory(), changed_.sources()));
    const auto file = object_at(*opened.view, path);
    const auto size = value_of(opened.view->attributes(file)).size_bytes;
    std::string bytes(static_cast<std::size_t>(size), '\0');
    value_of(opened.view->read(file, 0, as_mutable_bytes(bytes)));
    return bytes;
  }

  ChangedTree changed_;

 private:
  static Error no_seal() { return Error(ErrorKind::kIo, 1, "nothing was sealed"); }

  int merges_ = 0;
};

}  // namespace dgfs::test
