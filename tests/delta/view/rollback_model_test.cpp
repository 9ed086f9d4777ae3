// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Changes, seals, drops, rollbacks, kills and openings at random: the tree and all states are as a
// simple model says, and no number of an object comes twice.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "delta/store/directory/dropped_states.h"
#include "tests/delta/view/rolled_back_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

constexpr int kStepsOfRun = 50;
constexpr std::size_t kStatesMax = 12;

// A value.
struct ModelState {
  std::string name;
  RootFiles files;
};

class RollbackModel {
 public:
  explicit RollbackModel(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int step = 0; step < kStepsOfRun && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(step);
      switch (random_.below(8)) {
        case 0:
        case 1:
        case 2:
          change();
          break;
        case 3:
        case 4:
          seal();
          break;
        case 5:
          roll_back();
          break;
        case 6:
          drop();
          break;
        default:
          roll_back_damaged();
      }
      compare();
    }
  }
  [[nodiscard]] int rollbacks() const { return rollbacks_; }
  [[nodiscard]] int drops() const { return drops_; }

 private:
  void change() {
    tree_.with_view([&](view::View& view) {
      const auto count = 1 + random_.below(5);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto name = "n" + std::to_string(random_.below(9));
        if (files_.contains(name) && random_.one_in(2)) {
          const auto gone = value_of(view.unlink(view::kRoot, name));
          expect_ok(view.release(gone.object));
          files_.erase(name);
        } else {
          const std::string content(random_.below(1500),
                                    static_cast<char>('a' + random_.below(26)));
          EXPECT_TRUE(tree_.write(view, name, content)) << "a number came twice";
          files_[name] = content;
        }
      }
    });
    is_changed_ = true;
  }
  void seal() {
    if (!is_changed_ || states_.size() == kStatesMax) return;
    const auto name = random_.one_in(3) ? std::string() : "s" + std::to_string(next_name_++);
    tree_.seal(name);
    states_.push_back({name, files_});
    is_changed_ = false;
  }
  // A state by its id or its name; 0 layers: the image.
  [[nodiscard]] std::string text_of(std::size_t layers) {
    if (layers == 0) return "base";
    if (layers == states_.size() && random_.one_in(2)) return "newest";
    const auto& state = states_[layers - 1];
    if (!state.name.empty() && random_.one_in(2)) return state.name;
    return delta::state_text(tree_.manifest().stores[layers - 1].layer.state);
  }
  void roll_back() {
    const auto layers = random_.below(states_.size() + 1);
    tree_.roll_back(text_of(layers));
    returned_to(layers);
  }
  void roll_back_damaged() {
    const auto layers = random_.below(states_.size() + 1);
    const auto text = text_of(layers);
    // At most the stores that go.
    for (std::size_t index = tree_.manifest().stores.size(); index-- > layers;) {
      if (random_.one_in(2)) tree_.overwrite(tree_.store_of(index) + "/store", 8192);
    }
    tree_.roll_back(text);
    returned_to(layers);
  }
  void returned_to(std::size_t layers) {
    ++rollbacks_;
    states_.resize(layers);
    files_ = layers == 0 ? RootFiles{{"f", "of the image"}} : states_.back().files;
    is_changed_ = false;
  }
  void drop() {
    if (states_.empty()) return;
    const auto layers = 1 + random_.below(states_.size());
    auto locked = value_of(
        delta::lock_manifest(tree_.memory(), tree_.kDelta, delta::StoreAccess::kReadWrite));
    const std::vector ids{locked.manifest.stores[layers - 1].layer.state};
    expect_ok(delta::drop_states(tree_.memory(), tree_.kDelta, locked, ids));
    states_[layers - 1].name.clear();
    ++drops_;
  }
  void compare() {
    EXPECT_EQ(tree_.files(), files_);
    const auto manifest = tree_.manifest();
    ASSERT_EQ(delta::layers_of(manifest), states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) {
      EXPECT_EQ(manifest.stores[i].layer.name, states_[i].name);
      if (!random_.one_in(6)) continue;
      EXPECT_EQ(tree_.files_of_state(i + 1), states_[i].files) << i;
    }
    // Nothing is left of what was rolled back.
    EXPECT_EQ(tree_.names_in(tree_.kDelta).size(), manifest.stores.size() + 2);
  }

  Random random_;
  RolledBackTree tree_;
  RootFiles files_{{"f", "of the image"}};
  std::vector<ModelState> states_;
  bool is_changed_ = false;
  int next_name_ = 0;
  int rollbacks_ = 0;
  int drops_ = 0;
};

TEST(RollbackModel, IsAsAMapOfStates) {
  int rollbacks = 0;
  int drops = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    RollbackModel model(5510 + seed);
    model.run();
    ASSERT_FALSE(testing::Test::HasFailure());
    rollbacks += model.rollbacks();
    drops += model.drops();
  }
  EXPECT_GT(rollbacks, 40);
  EXPECT_GT(drops, 12);
}

}  // namespace
}  // namespace dgfs::test
