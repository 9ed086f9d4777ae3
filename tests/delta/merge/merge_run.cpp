// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/merge/merge_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "delta/layer/used_states.h"
#include "delta/merge/offline_merge.h"
#include "delta/store/directory/states.h"
#include "format/entry/mode.h"
#include "tests/delta/merge/same_tree.h"

namespace dgfs::test {
namespace {

using Kind = MergeStep::Kind;

constexpr ModelId kMadeEnd = ModelId{1} << 40;  // ids that were never used are above it

// A few objects of each kind, and one directory with many names.
void fill_for_merges(PackedTree& tree) {
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

// Contents raw, compressed, and in shared frames; one volume or three; with digests or without.
builder::BuildOptions image_form(std::uint64_t seed) {
  builder::BuildOptions options;
  options.created_seconds = 1'000'000;
  options.token_entries_min = seed % 2 == 0 ? 1 : UINT64_MAX;
  if (seed % 3 != 0) options.compression.emplace();
  if (seed % 3 == 2) options.compression->fragment_frame_bytes = 4096;
  if (seed % 5 == 4) options.volume_paths = {"/out/t.1", "/out/t.2"};
  if (seed % 7 == 3) options.digest = format::DigestAlgorithm::kSha256;
  return options;
}

merge::RepackRules rules_of(std::uint64_t choice) {
  merge::RepackRules rules;
  rules.all = choice % 8 == 0;
  if (choice % 8 == 1) rules.dead_percent = 30;
  return rules;
}

// A name makes the state the last that a merge may take.
std::string name_of_state(std::uint64_t choice) {
  return choice % 6 == 0 ? "state-" + std::to_string(choice) : std::string();
}

bool is_no_reason(const Error& error) { return error.kind() != ErrorKind::kInvalidArgument; }

}  // namespace

std::string to_string(const MergeStep& step) {
  static constexpr std::array kTexts = {"operation",
                                        "read a listing",
                                        "compare all",
                                        "close and open again",
                                        "kill and open again",
                                        "seal",
                                        "look at a state",
                                        "keep a look at a state, or end it",
                                        "make a base",
                                        "give a merge up",
                                        "put the base below",
                                        "end the merge",
                                        "merge between openings",
                                        "start a merge in a thread",
                                        "wait for the merge in a thread",
                                        "begin a join of layers",
                                        "put the joined layer in place",
                                        "give the join up",
                                        "join between openings"};
  if (step.kind == Kind::kOperation) {
    return to_string(step.operation) +
           (step.made == 0 ? "" : " makes #" + std::to_string(step.made));
  }
  return std::string(kTexts.at(static_cast<std::size_t>(step.kind))) + ", choice " +
         std::to_string(step.choice);
}

MergeCounts& MergeCounts::operator+=(const MergeCounts& other) {
  operations += other.operations;
  names_read += other.names_read;
  switches += other.switches;
  again += other.again;
  kept += other.kept;
  offline += other.offline;
  threads += other.threads;
  given_up += other.given_up;
  looks += other.looks;
  base_looks += other.base_looks;
  joins += other.joins;
  joins_given_up += other.joins_given_up;
  offline_joins += other.offline_joins;
  return *this;
}

std::string to_string(const MergeCounts& counts) {
  return std::to_string(counts.operations) + " operations, " + std::to_string(counts.names_read) +
         " names of listings in progress, " + std::to_string(counts.switches) + " switches (" +
         std::to_string(counts.again) + " from a base to the next) beside " +
         std::to_string(counts.kept) + " objects without a name, " +
         std::to_string(counts.offline) + " merges between openings, " +
         std::to_string(counts.threads) + " in a thread, " + std::to_string(counts.given_up) +
         " given up, " + std::to_string(counts.looks) + " looks at states, " +
         std::to_string(counts.base_looks) + " at bases, " + std::to_string(counts.joins) +
         " joins, " + std::to_string(counts.joins_given_up) + " given up, " +
         std::to_string(counts.offline_joins) + " between openings";
}

MergeRun::MergeRun(std::uint64_t seed, Random& random) : random_(random) {
  fill_for_merges(based_.tree());
  based_.open(image_form(seed));
  operations_.emplace(based_.view(), *based_.bottom(), based_.clock(), random);
  listings_.emplace(*operations_);
  first_made_ = operations_->model().next_id();
}

MergeCounts MergeRun::counts() const {
  auto counts = counts_;
  counts.names_read = listings_->names_read();
  return counts;
}

// Operations come between any two steps of a merge.
MergeStep::Kind MergeRun::next_kind() {
  if (random_.one_in(4)) return Kind::kRead;
  if (random_.one_in(50)) return Kind::kCompare;
  if (random_.one_in(60)) return Kind::kSeal;
  if (random_.one_in(80)) return Kind::kLookBack;
  if (random_.one_in(200)) return Kind::kKeepLook;
  if (random_.one_in(150)) return random_.one_in(2) ? Kind::kClose : Kind::kDrop;
  if (random_.one_in(150)) return random_.one_in(2) ? Kind::kMergeOffline : Kind::kJoinOffline;
  if (thread_) return random_.one_in(15) ? Kind::kJoinThread : Kind::kOperation;
  if (base_) {
    if (!random_.one_in(12)) return Kind::kOperation;
    return random_.one_in(5) ? Kind::kGiveUp : Kind::kPutBase;
  }
  if (join_) {
    if (!random_.one_in(12)) return Kind::kOperation;
    return random_.one_in(5) ? Kind::kGiveUpJoin : Kind::kPutJoin;
  }
  if (is_put_) return random_.one_in(12) ? Kind::kEndMerge : Kind::kOperation;
  if (based_.layers() > 1 && random_.one_in(20)) return Kind::kBeginJoin;
  if (based_.layers() != 0 && random_.one_in(30)) return Kind::kMakeBase;
  if (random_.one_in(80)) return Kind::kStartThread;
  return Kind::kOperation;
}

MergeStep MergeRun::step() {
  MergeStep step;
  step.kind = next_kind();
  if (step.kind == Kind::kOperation) {
    step.operation = operations_->next();
  } else {
    step.choice = random_.below(1U << 31U);
  }
  const ModelId made = operations_->model().next_id();
  run(step);
  if (operations_->model().next_id() > made) step.made = made;
  return step;
}

void MergeRun::repeat(MergeStep step) {
  if (step.kind == Kind::kOperation && !translate(step.operation)) return;
  const ModelId made = operations_->model().next_id();
  run(step);
  if (operations_->model().next_id() > made && step.made != 0) made_[step.made] = made;
}

bool MergeRun::translate(Operation& operation) const {
  for (ModelId* id : {&operation.directory, &operation.to, &operation.object}) {
    if (*id < first_made_ || *id >= kMadeEnd) continue;
    const auto found = made_.find(*id);
    if (found == made_.end()) return false;
    *id = found->second;
  }
  return true;
}

void MergeRun::run(const MergeStep& step) {
  switch (step.kind) {
    case Kind::kOperation:
      ++counts_.operations;
      operations_->run(step.operation);
      return listings_->note_changes();
    case Kind::kRead:
      return listings_->act(step.choice);
    case Kind::kCompare:
      return static_cast<void>(operations_->expect_equal());
    case Kind::kSeal:
      return seal(step.choice);
    case Kind::kLookBack:
      return look_back(step.choice);
    case Kind::kKeepLook:
      return keep_look(step.choice);
    case Kind::kMakeBase:
      return make_base(step.choice);
    case Kind::kGiveUp:
      return give_up(step.choice);
    case Kind::kPutBase:
      return put_base();
    case Kind::kEndMerge:
      return end_merge();
    case Kind::kBeginJoin:
      return begin_join(step.choice);
    case Kind::kPutJoin:
      return put_join(step.choice);
    case Kind::kGiveUpJoin:
      return give_up_join();
    case Kind::kStartThread:
      return start_thread(step.choice);
    case Kind::kJoinThread:
      return join_thread(step.choice);
    default:
      return open_again(step.kind, step.choice);
  }
}

// The merge or join that is under way is cut off at its present step.
void MergeRun::open_again(MergeStep::Kind kind, std::uint64_t choice) {
  thread_ = nullptr;
  base_ = std::nullopt;
  join_ = std::nullopt;
  is_put_ = false;
  listings_->close();
  kind == Kind::kDrop || choice % 2 == 0 ? based_.drop() : based_.close();
  if (kind == Kind::kMergeOffline) merge_offline(choice);
  if (kind == Kind::kJoinOffline) join_offline();
  based_.open_again();
  has_held_files_ = kept_look_.view != nullptr;
  operations_->reopened(based_.view(), ModelTree(operations_->model()));
  operations_->compare_blocks(true);
  adopt_blocks();
  operations_->expect_equal();
  expect_no_leftovers();
  listings_->go_on();
}

void MergeRun::merge_offline(std::uint64_t choice) {
  merge::MergeRequest request;
  request.repack = rules_of(choice / 2);
  const auto merged = merge::merge_offline(based_.clock(), base_source(BasedTree::kDelta), request,
                                           base_build_options());
  if (!merged) {
    EXPECT_FALSE(is_no_reason(merged.error())) << merged.error().message();
    return;
  }
  ++counts_.offline;
  if (const auto& unremoved = merged.value().unremoved) {
    EXPECT_EQ(unremoved->kind(), ErrorKind::kBusy) << unremoved->message();
  }
}

void MergeRun::seal(std::uint64_t choice) {
  if (based_.layers() >= delta::kLayersMax) return;
  const auto sealed = based_.view().seal({name_of_state(choice), {}});
  if (!sealed) {  // the thread may have sealed, too
    EXPECT_EQ(sealed.error().kind(), ErrorKind::kLimit) << sealed.error().message();
    return;
  }
  if (sealed.value().outcome) {
    const auto& layer = sealed.value().manifest.stores[sealed.value().outcome->layers - 1].layer;
    states_.insert_or_assign(layer.state, State{operations_->model(), operations_->pairs()});
  }
  operations_->expect_equal();
}

void MergeRun::make_base(std::uint64_t choice) {
  const auto layers = based_.layers();
  if (base_ || join_ || is_put_ || thread_ || layers == 0) return;
  based_.wait_until_closed();
  const auto merged = choice % 3 == 0 ? 1 + choice / 64 % layers : layers;
  auto made = make_live_base(based_.clock(), based_.view(), BasedTree::kDelta, merged,
                             rules_of(choice / 3));
  EXPECT_TRUE(made) << made.error().message();
  if (made) base_ = std::move(made).value();
}

// Once it is made, or while it is made.
void MergeRun::give_up(std::uint64_t choice) {
  if (!base_) return;
  const auto layers = base_->plan.layers;
  merge::drop_base(based_.clock(), *base_);
  base_ = std::nullopt;
  if (choice % 2 == 0) {
    std::atomic<bool> stop = false;
    auto options = base_build_options();
    options.stop = &stop;
    options.progress = [&](const builder::Progress&) { stop = true; };
    const auto made = make_live_base(based_.clock(), based_.view(), BasedTree::kDelta, layers,
                                     rules_of(choice / 2), options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind(), ErrorKind::kInterrupted) << made.error().message();
  }
  ++counts_.given_up;
  expect_no_leftovers();
}

void MergeRun::put_base() {
  if (!base_) return;
  counts_.kept += value_of(based_.view().orphans(0)).size();
  if (based_.delta().present_manifest().base) ++counts_.again;
  expect_ok(
      put_live_base(based_.clock(), based_.view(), based_.delta(), BasedTree::kDelta, *base_));
  base_ = std::nullopt;
  is_put_ = true;
  ++counts_.switches;
  adopt_blocks();
  operations_->expect_equal();
}

void MergeRun::end_merge() {
  if (!is_put_) return;
  is_put_ = false;
  // Looks at states hold what they read; the next merge or opening removes it.
  const auto ended = based_.view().end_merge();
  if (!ended) {
    EXPECT_EQ(ended.error().kind(), ErrorKind::kBusy) << ended.error().message();
  }
  has_held_files_ = kept_look_.view != nullptr;
  expect_no_leftovers();
  operations_->expect_equal();
}

// Of all neighbours that may be joined, or of two.
void MergeRun::begin_join(std::uint64_t choice) {
  if (base_ || join_ || is_put_ || thread_) return;
  based_.wait_until_closed();
  const auto manifest = based_.delta().present_manifest();
  const auto ranges =
      layer::all_joins(value_of(layer::layer_sizes(based_.clock(), BasedTree::kDelta, manifest)));
  if (ranges.empty()) return;
  auto range = ranges[choice / 4 % ranges.size()];
  if (choice % 4 == 0) {
    range.begin += choice / 64 % (range.size() - 1);
    range.end = range.begin + 2;
  }
  const auto plan = value_of(based_.view().begin_join(range));
  join_ = value_of(layer::make_joined(based_.clock(), BasedTree::kDelta, plan, {}));
}

// A state that is still listed shows what it showed.
void MergeRun::put_join(std::uint64_t choice) {
  if (!join_) return;
  const auto before = based_.layers();
  expect_ok(based_.view().put_join(join_->plan));
  EXPECT_EQ(based_.layers(), before + 1 - join_->plan.layers.size());
  join_ = std::nullopt;
  is_put_ = true;
  ++counts_.joins;
  operations_->expect_equal();
  look_back(choice);
}

void MergeRun::give_up_join() {
  if (!join_) return;
  based_.view().give_up_join(join_->plan);
  join_ = std::nullopt;
  ++counts_.joins_given_up;
  expect_no_leftovers();
}

void MergeRun::join_offline() {
  const auto joined = layer::join_offline(based_.clock(), BasedTree::kDelta, {});
  if (!joined) {
    EXPECT_FALSE(is_no_reason(joined.error())) << joined.error().message();
    return;
  }
  ++counts_.offline_joins;
  if (const auto& unremoved = joined.value().unremoved) {
    EXPECT_EQ(unremoved->kind(), ErrorKind::kBusy) << unremoved->message();
  }
}

void MergeRun::start_thread(std::uint64_t choice) {
  if (base_ || join_ || is_put_ || thread_) return;
  operations_->compare_blocks(false);
  thread_ = std::make_unique<merge::LiveMerge>(based_.clock(), based_.view(), based_.delta(),
                                               based_.live_options());
  merge::MergeRequest request;
  request.repack = rules_of(choice);
  value_of(thread_->start(request));
}

void MergeRun::join_thread(std::uint64_t choice) {
  if (!thread_) return;
  const bool is_cancelled = choice % 4 == 0 && thread_->cancel();
  thread_->wait();
  const auto status = thread_->status();
  thread_ = nullptr;
  if (status.outcome) ++counts_.threads;
  if (status.error) {
    ++counts_.given_up;
    const auto kind = status.error->kind();
    EXPECT_TRUE(kind == ErrorKind::kInvalidArgument || kind == ErrorKind::kLimit ||
                (is_cancelled && kind == ErrorKind::kInterrupted))
        << status.error->message();
  }
  operations_->compare_blocks(true);
  adopt_blocks();
  operations_->expect_equal();
  expect_no_leftovers();
}

// A view counts blocks that are written twice, and a merge finds holes of whole chunks only: the
// only attribute that changes.
void MergeRun::adopt_blocks() {
  const ModelTree before(operations_->model());
  for (const auto& [id, object] : before.objects()) {
    if (!format::is_regular(object.attributes.mode)) continue;
    operations_->set_blocks(id, based_.blocks_of(operations_->pairs().number_of(id)));
  }
}

const MergeRun::State* MergeRun::state_of(const format::StateId& id) const {
  const auto found = states_.find(id);
  return found == states_.end() ? nullptr : &found->second;
}

void MergeRun::expect_state(const view::View& shown, const State& state) const {
  EXPECT_EQ(difference_of_names(shown, state.model, state.pairs, {.has_blocks = false}), "");
}

void MergeRun::look_back(std::uint64_t choice) {
  const auto manifest = based_.delta().present_manifest();
  const auto layers = delta::layers_of(manifest);
  if (manifest.base && !thread_) {
    if (const State* state = state_of(manifest.base->state)) expect_base(*state);
  }
  if (layers == 0 || thread_) return;
  const auto shown = static_cast<std::size_t>(choice % layers + 1);
  const State* state = state_of(manifest.stores[shown - 1].layer.state);
  if (state == nullptr) return;  // of a seal that a merge made
  const auto past = based_.look_back(shown);
  expect_state(*past.view, *state);
  ++counts_.looks;
}

void MergeRun::keep_look(std::uint64_t choice) {
  if (kept_look_.view) {
    expect_state(*kept_look_.view, *state_of(kept_state_));
    kept_look_ = {};
    ++counts_.looks;
    return;
  }
  const auto manifest = based_.delta().present_manifest();
  const auto layers = delta::layers_of(manifest);
  if (layers == 0 || thread_) return;
  const auto shown = static_cast<std::size_t>(choice % layers + 1);
  kept_state_ = manifest.stores[shown - 1].layer.state;
  if (state_of(kept_state_) == nullptr) return;
  kept_look_ = based_.look_back(shown);
  has_held_files_ = true;
}

// Names, numbers and contents of a base are those of the state that it equals.
void MergeRun::expect_base(const State& state) {
  const auto base = ModelTree::of_image(*based_.bottom());
  EXPECT_EQ(difference_of_trees(state.model, base), "");
  for (const auto& [id, object] : state.model.objects()) {
    if (object.places.empty()) continue;
    const auto found = base.objects().find(state.pairs.number_of(id));
    ASSERT_NE(found, base.objects().end()) << "#" << id;
    std::set<std::pair<ModelId, std::string>> places;
    for (const auto& [directory, name] : object.places) {
      places.emplace(state.pairs.number_of(directory), name);
    }
    EXPECT_EQ(found->second.places, places) << "#" << id;
  }
  ++counts_.base_looks;
}

// What a look has held goes with the end of the next merge or at the next opening.
void MergeRun::expect_no_leftovers() {
  if (has_held_files_) return;
  const auto left =
      leftovers_in(based_.clock(), BasedTree::kDelta, based_.delta().present_manifest());
  EXPECT_TRUE(left.empty()) << *left.begin();
}

}  // namespace dgfs::test
