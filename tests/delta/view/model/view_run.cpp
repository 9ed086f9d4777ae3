// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/view_run.h"

#include <gtest/gtest-spi.h>

#include "delta/layer/join.h"
#include "delta/store/directory/states.h"
#include "delta/view/image_bottom.h"
#include "delta/view/moment.h"
#include "delta/view/state_changes.h"
#include "tests/delta/view/model/differing_names.h"
#include "tests/delta/view/model/shrink.h"

namespace dgfs::test {
namespace {

constexpr ModelId kMadeEnd = ModelId{1} << 40;  // ids that were never used are above it
constexpr std::size_t kTriesMax = 2000;

// Adds a few objects of each kind, and one directory with many names.
void fill(PackedTree& tree) {
  for (const char* directory : {"a", "b", "a/a", "a/a/b", "c"}) tree.directory(directory);
  for (const char* file : {"f", "a/f", "a/g", "a/a/f", "a/a/b/f", "c/f"}) tree.file(file, file);
  tree.file("a/long", pattern(2000, 1));
  for (int i = 0; i < 30; ++i) tree.file("c/w" + std::to_string(i), "");
  tree.link("f", "b/f");
  tree.link("f", "a/a/linked");
  tree.link("a/g", "a/h");
  tree.symlink("a/l", "../f");
  tree.symlink("s", std::string(300, 's'));
}

std::string as_lines(const std::vector<RunStep>& steps) {
  std::string lines;
  for (const RunStep& step : steps) lines += "  " + to_string(step) + "\n";
  return lines;
}

Result<std::vector<view::NamePlace>> names_in_image(const view::ImageBottom& bottom,
                                                    view::ObjectNumber object) {
  DGFS_TRY(node, bottom.node(object));
  if (!node) return std::vector<view::NamePlace>();
  return bottom.names(*node);
}

view::NamesInState names_in(const reader::Image& image, const delta::DeltaDirectory& delta) {
  const auto moment = std::make_shared<const view::Moment>(view::generation_of(image, delta));
  return [moment](view::ObjectNumber object) { return moment->names(object); };
}

}  // namespace

std::string to_string(const RunStep& step) {
  switch (step.kind) {
    case RunStep::Kind::kOperation:
      return to_string(step.operation) +
             (step.made == 0 ? "" : " makes #" + std::to_string(step.made));
    case RunStep::Kind::kRead:
      return "read a listing, choice " + std::to_string(step.choice);
    case RunStep::Kind::kCompare:
      return "compare all";
    case RunStep::Kind::kReopen:
      return "open again";
    case RunStep::Kind::kSealLive:
      return "seal the open view";
    case RunStep::Kind::kLookBack:
      return "look at states, choice " + std::to_string(step.choice);
    case RunStep::Kind::kJoin:
      return "join layers, choice " + std::to_string(step.choice);
    default:
      return "seal";
  }
}

ViewRun::ViewRun(Random& random) : random_(random) {
  fill(viewed_.tree());
  viewed_.open();
  operations_.emplace(viewed_.view(), viewed_.image(), viewed_.clock(), random);
  listings_.emplace(*operations_);
  first_made_ = operations_->model().next_id();
}

RunStep ViewRun::step() {
  RunStep step;
  if (random_.one_in(4)) {
    step.kind = RunStep::Kind::kRead;
    step.choice = random_.below(1U << 31U);
  } else if (random_.one_in(40)) {
    step.kind = RunStep::Kind::kCompare;
  } else if (random_.one_in(90)) {
    step.kind = RunStep::Kind::kSealLive;
  } else if (random_.one_in(60)) {
    step.kind = RunStep::Kind::kLookBack;
    step.choice = random_.below(1U << 31U);
  } else if (random_.one_in(150)) {
    step.kind = RunStep::Kind::kJoin;
    step.choice = random_.below(1U << 31U);
  } else if (random_.one_in(90)) {
    step.kind = random_.one_in(2) ? RunStep::Kind::kSeal : RunStep::Kind::kReopen;
  } else {
    step.operation = operations_->next();
    const ModelId made = operations_->model().next_id();
    run(step);
    if (operations_->model().next_id() > made) step.made = made;
    return step;
  }
  run(step);
  return step;
}

void ViewRun::repeat(RunStep step) {
  if (step.kind == RunStep::Kind::kOperation && !translate(step.operation)) return;
  const ModelId made = operations_->model().next_id();
  run(step);
  if (operations_->model().next_id() > made && step.made != 0) made_[step.made] = made;
}

bool ViewRun::translate(Operation& operation) const {
  for (ModelId* id : {&operation.directory, &operation.to, &operation.object}) {
    if (*id < first_made_ || *id >= kMadeEnd) continue;
    const auto found = made_.find(*id);
    if (found == made_.end()) return false;
    *id = found->second;
  }
  return true;
}

void ViewRun::run(const RunStep& step) {
  switch (step.kind) {
    case RunStep::Kind::kOperation:
      operations_->run(step.operation);
      return listings_->note_changes();
    case RunStep::Kind::kRead:
      return listings_->act(step.choice);
    case RunStep::Kind::kCompare:
      return static_cast<void>(operations_->expect_equal());
    case RunStep::Kind::kSealLive:
      return seal_live();
    case RunStep::Kind::kLookBack:
      return look_back(step.choice);
    case RunStep::Kind::kJoin:
      return join(step.choice);
    default:
      return open_again(step.kind);
  }
}

void ViewRun::note_state() {
  states_.push_back({operations_->model(), operations_->pairs()});
  ++sealed_;
}

void ViewRun::seal_live() {
  if (states_.size() >= delta::kLayersMax) return;
  const auto sealed = value_of(viewed_.view().seal({}));
  if (sealed.outcome) note_state();
  operations_->expect_equal();
}

void ViewRun::look_back(std::uint64_t choice) {
  if (states_.empty()) return;
  const auto at = static_cast<std::size_t>(choice % states_.size());
  const auto past = viewed_.look_back(at + 1);
  EXPECT_EQ(difference_of_names(*past.view, states_[at].model, states_[at].pairs), "")
      << "state " << at;
  ++looks_;
  expect_changes_between(static_cast<std::size_t>(choice / states_.size() % (at + 1)), at + 1);
}

// Joins some neighbours: the tree and the states that are left stay as they were.
void ViewRun::join(std::uint64_t choice) {
  const auto layers = states_.size();
  if (layers < 2) return;
  const auto begin = static_cast<std::size_t>(choice % (layers - 1));
  const auto end = begin + 2 + static_cast<std::size_t>(choice / layers % (layers - begin - 1));
  listings_->close();
  viewed_.while_closed([&] {
    const auto joined = layer::join_layers(viewed_.clock(), ViewedTree::kDelta, {begin, end}, {});
    EXPECT_TRUE(joined) << joined.error().message();
  });
  states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(begin),
                states_.begin() + static_cast<std::ptrdiff_t>(end) - 1);
  ++joins_;
  operations_->reopened(viewed_.view(), ModelTree(operations_->model()));
  operations_->expect_equal();
  listings_->go_on();
}

void ViewRun::expect_changes_between(std::size_t lower, std::size_t upper) {
  const auto above = viewed_.look_back(upper);
  const auto& image = viewed_.image();
  view::NamesInState names_below = [bottom = view::ImageBottom(image)](view::ObjectNumber object) {
    return names_in_image(bottom, object);
  };
  ViewedTree::Past below;
  if (lower != 0) {
    below = viewed_.look_back(lower);
    names_below = names_in(image, *below.delta);
  }
  auto layers = above.delta->stores();
  layers.erase(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(lower));
  const auto changes =
      value_of(view::changes_between(layers, names_below, names_in(image, *above.delta)));
  ASSERT_TRUE(changes);
  const auto first = lower == 0 ? ModelTree::of_image(image) : states_[lower - 1].model;
  const auto& [second, pairs] = states_[upper - 1];
  for (const auto& [directory, names] : differing_names(first, second)) {
    const auto* told = changes->names_in(pairs.number_of(directory));
    for (const std::string& name : names) {
      EXPECT_TRUE(told != nullptr && told->contains(name))
          << "states " << lower << " and " << upper << " differ at '" << name << "' in #"
          << directory;
      ++differences_;
    }
  }
}

void ViewRun::open_again(RunStep::Kind kind) {
  listings_->close();
  const bool seals = kind == RunStep::Kind::kSeal && states_.size() < delta::kLayersMax;
  seals ? viewed_.seal() : viewed_.reopen();
  if (seals) note_state();
  operations_->reopened(viewed_.view(), ModelTree(operations_->model()));
  operations_->expect_equal();
  listings_->go_on();
}

std::string failures_of(const std::vector<RunStep>& steps, Errors errors) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    Random random(0);  // unused: the steps exist already
    ViewRun run(random);
    if (errors == Errors::kAny) run.operations().allow_other_errors();
    for (const RunStep& step : steps) {
      if (results.size() == 0) run.repeat(step);
    }
  }
  std::string messages;
  for (int i = 0; i < results.size(); ++i) messages += results.GetTestPartResult(i).message();
  return messages;
}

namespace {

std::string shortened(const std::vector<RunStep>& steps) {
  // The run may have failed only because two errors differ.
  const auto errors = failures_of(steps, Errors::kAny).empty() ? Errors::kAlike : Errors::kAny;
  const auto fails = [&](const std::vector<RunStep>& some) {
    return !failures_of(some, errors).empty();
  };
  if (!fails(steps)) return "the same steps do not fail again:\n" + as_lines(steps);
  const auto few = shrink<RunStep>(steps, fails, kTriesMax);
  return std::to_string(few.size()) + " of " + std::to_string(steps.size()) + " steps fail:\n" +
         as_lines(few) + failures_of(few, errors);
}

}  // namespace

RunCounts run_view(std::uint64_t seed, std::size_t operations) {
  Random random(seed);
  ViewRun run(random);
  RunCounts counts;
  std::vector<RunStep> steps;
  while (counts.operations < operations && !testing::Test::HasFailure()) {
    steps.push_back(run.step());
    if (steps.back().kind == RunStep::Kind::kOperation) ++counts.operations;
  }
  if (!testing::Test::HasFailure()) {
    RunStep last;
    last.kind = RunStep::Kind::kCompare;
    run.repeat(last);
    steps.push_back(last);
  }
  counts.names_read = run.listings().names_read();
  counts.states = run.states();
  counts.looks = run.looks();
  counts.joins = run.joins();
  counts.differences = run.differences();
  if (!testing::Test::HasFailure()) return counts;
  ADD_FAILURE() << shortened(steps);
  return counts;
}

}  // namespace dgfs::test
