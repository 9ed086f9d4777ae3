// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/delta_states.h"

namespace dgfs::test {
namespace {

using Names = std::vector<std::string>;

class DeltaCompactCommand : public DeltaStates {
 protected:
  void make_states(const Names& names) {
    for (const std::string& name : names) {
      const auto file = "file-" + std::to_string(made_++);
      make_state(name, file);
      files_.push_back(file);
    }
  }
  // The names of states, the oldest first; "" for a state without one.
  [[nodiscard]] Names names() {
    Names names;
    for (const auto& store : manifest().stores) names.push_back(store.layer.name);
    names.pop_back();
    return names;
  }
  [[nodiscard]] Names expected_files() const {
    Names files = files_;
    files.insert(files.begin(), "f");
    std::sort(files.begin(), files.end());
    return files;
  }

  std::size_t made_ = 0;
  Names files_;
};

TEST_F(DeltaCompactCommand, JoinsWhatNoNameKeepsApart) {
  make_states({"", "", "two", "", "", ""});
  EXPECT_EQ(run({"delta", "compact", "/d/"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("/d: joining 6 layers of ")) << out_;
  EXPECT_TRUE(says(" into 2, which needs up to ")) << out_;
  EXPECT_TRUE(says("\n/d: joined 6 layers into 2 in 0:00; ")) << out_;
  EXPECT_EQ(names(), (Names{"two", ""}));
  EXPECT_EQ(files(), expected_files());
  EXPECT_EQ(run({"delta", "check", "/d"}), 0) << err_;
}

TEST_F(DeltaCompactCommand, ADryRunTellsTheBytesAndChangesNothing) {
  make_states({"", "one", ""});
  const auto before = manifest();
  EXPECT_EQ(run({"delta", "compact", "--dry-run", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("/d: would join 2 layers of ")) << out_;
  EXPECT_EQ(run({"delta", "compact", "--dry-run", "--json", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"layers_before\":3,\"layers_after\":2,")) << out_;
  EXPECT_EQ(manifest(), before);
}

TEST_F(DeltaCompactCommand, NothingToJoinIsNoFailure) {
  EXPECT_EQ(run({"delta", "compact", "/d"}), 0) << err_;
  EXPECT_EQ(out_, "/d: nothing to join: no layers\n");
  make_states({"one", "two"});
  EXPECT_EQ(run({"delta", "compact", "/d"}), 0) << err_;
  EXPECT_EQ(out_, "/d: 2 layers, all named or in use; drop one\n");
  EXPECT_EQ(run({"delta", "compact", "--json", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"layers_before\":2,\"layers_after\":2,")) << out_;
  EXPECT_EQ(run({"delta", "compact", "--quiet", "/d"}), 0) << err_;
  EXPECT_EQ(out_, "");
}

TEST_F(DeltaCompactCommand, SixteenNamedLayersAreAFailure) {
  for (std::size_t i = 0; i < delta::kLayersMax; ++i) make_states({"s" + std::to_string(i)});
  EXPECT_EQ(run({"delta", "compact", "/d"}), 1);
  EXPECT_EQ(err_, "dgfs: delta compact: /d: 16 layers, all named or in use; drop one\n");
  EXPECT_EQ(run({"delta", "drop", "/d", "s3"}), 0) << err_;
  EXPECT_EQ(run({"delta", "compact", "/d"}), 0) << err_;
  EXPECT_EQ(names().size(), delta::kLayersMax - 1);
  EXPECT_EQ(files(), expected_files());
}

TEST_F(DeltaCompactCommand, ADeltaInUseIsNamed) {
  make_states({"", ""});
  const auto held = open();
  EXPECT_EQ(run({"delta", "compact", "/d"}), 1);
  EXPECT_TRUE(complains("/d: the delta is in use by another process")) << err_;
  EXPECT_EQ(run({"delta", "compact", "--cancel", "/d"}), 1);
  EXPECT_EQ(run({"delta", "compact", "/nothing"}), 1);
}

}  // namespace
}  // namespace dgfs::test
