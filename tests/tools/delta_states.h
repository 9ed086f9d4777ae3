// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A delta over a small image, with states that are made between runs of commands. The start for
// tests of the commands that keep states in order.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delta/store/directory/states.h"
#include "delta/view/offline_seal.h"
#include "delta/view/view.h"
#include "tests/reader/packed_tree.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {

class DeltaStates : public testing::Test {
 protected:
  DeltaStates() {
    tree_.file("f", "of the image");
    tree_.pack();
    image_ = tree_.open();
    options_.parameters = {1024, 4096, 4, 1 << 18, 256};
    expect_ok(delta::DeltaDirectory::create(env(), "/d", image_->superblock().uuid,
                                            image_->superblock().next_inode, options_));
  }
  storage::MemoryEnv& env() { return tree_.memory(); }
  [[nodiscard]] std::unique_ptr<delta::DeltaDirectory> open() {
    return value_of(delta::DeltaDirectory::open(env(), "/d", options_));
  }
  void make(const std::string& name) {
    const auto delta = open();
    const auto view = value_of(view::View::open(env(), *image_, *delta));
    value_of(view->create(view::kRoot, name, {}, {}));
    expect_ok(view->close());
  }
  /// A state with one more file.
  void make_state(const std::string& name, const std::string& file) {
    make(file);
    value_of(view::seal_offline(env(), "/d", {name, {}}));
  }
  [[nodiscard]] std::vector<std::string> files() {
    const auto delta = open();
    const auto view = value_of(view::View::open(env(), *image_, *delta));
    std::vector<std::string> names;
    expect_ok(view->list(view::kRoot, "", [&](const view::View::ListedName& listed) {
      names.emplace_back(listed.name);
      return true;
    }));
    return names;
  }
  [[nodiscard]] delta::Manifest manifest() {
    return value_of(delta::read_present_manifest(env(), "/d"));
  }
  [[nodiscard]] std::string short_id(std::size_t layers) {
    const auto now = manifest();
    return delta::short_state_text(now, now.stores.at(layers - 1).layer.state);
  }
  [[nodiscard]] std::string id(std::size_t layers) {
    return delta::state_text(manifest().stores.at(layers - 1).layer.state);
  }
  /// @param answer  that a user types; none: there is no terminal
  int run(const std::vector<std::string>& arguments, std::optional<std::string> answer = {}) {
    ToolRunOptions options;
    options.answer = std::move(answer);
    ToolRun tool(env(), options);
    const int code = tool.run(arguments);
    out_ = tool.out();
    err_ = tool.err();
    return code;
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return out_.find(text) != std::string::npos;
  }
  [[nodiscard]] bool complains(const std::string& text) const {
    return err_.find(text) != std::string::npos;
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  delta::StoreOptions options_;
  std::string out_;
  std::string err_;
};

}  // namespace dgfs::test
