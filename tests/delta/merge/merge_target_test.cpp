// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge_target.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/directory/states.h"
#include "storage/forwarding_env.h"
#include "tests/delta/merge/offline_fixture.h"

namespace dgfs::test {
namespace {

using merge::MergeTarget;
using merge::TargetRequest;

// Of layers whose ids are 11.., 22.., and so on, and the newest store.
delta::Manifest stack_of_states(std::size_t layers) {
  delta::Manifest manifest;
  manifest.version = delta::kStatesManifestVersion;
  manifest.stores.resize(layers + 1);
  for (std::size_t i = 0; i < layers; ++i) {
    manifest.stores[i].layer.state.fill(static_cast<std::uint8_t>(0x11 * (i + 1)));
  }
  return manifest;
}

void add_base(delta::Manifest& manifest, const std::string& name = {}) {
  manifest.base.emplace();
  manifest.base->state.fill(0xbb);
  manifest.base->name = name;
}

void expect_target(const delta::Manifest& manifest, const TargetRequest& request,
                   std::size_t layers, bool seals) {
  const auto target = merge::choose_target(manifest, request, "/d");
  ASSERT_TRUE(target) << target.error().message();
  EXPECT_EQ(target.value().layers, layers);
  EXPECT_EQ(target.value().seals, seals);
}

void expect_nothing(const delta::Manifest& manifest, const TargetRequest& request, int code,
                    const std::string& why) {
  const auto target = merge::choose_target(manifest, request, "/d");
  ASSERT_FALSE(target) << target.value().layers;
  EXPECT_EQ(target.error().kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(target.error().code(), code);
  EXPECT_EQ(target.error().message(), why);
}

TargetRequest unchanged() {
  TargetRequest request;
  request.is_changed = false;
  return request;
}

TargetRequest up_to(const std::string& state) {
  TargetRequest request;
  request.to = state;
  return request;
}

// Another process looks at the state of so many layers.
TargetRequest beside_reader_of(std::size_t layers) {
  TargetRequest request;
  request.used = layers;
  return request;
}

TargetRequest repacking(TargetRequest request = {}) {
  request.seals_anyway = true;
  return request;
}

TEST(ChooseTarget, TakesAllIfNothingMustStay) {
  expect_target(stack_of_states(0), {}, 1, true);
  expect_target(stack_of_states(3), {}, 4, true);
  expect_target(stack_of_states(3), unchanged(), 3, false);
  expect_target(stack_of_states(3), up_to("newest"), 4, true);
  auto manifest = stack_of_states(0);
  add_base(manifest);
  expect_target(manifest, {}, 1, true);
}

TEST(ChooseTarget, EndsAtTheOldestStateThatMustStay) {
  auto manifest = stack_of_states(4);
  manifest.stores[2].layer.name = "nightly-03";
  expect_target(manifest, {}, 3, false);
  expect_target(manifest, repacking(), 3, false);
  expect_target(manifest, up_to("newest"), 3, false);
  manifest.stores[1].layer.pins = 1;
  expect_target(manifest, {}, 2, false);
  expect_target(manifest, beside_reader_of(4), 2, false);
  expect_target(manifest, beside_reader_of(1), 1, false);
  expect_target(stack_of_states(4), beside_reader_of(3), 3, false);
}

TEST(ChooseTarget, EndsAtTheStateThatWasAskedFor) {
  auto manifest = stack_of_states(4);
  expect_target(manifest, up_to("2222"), 2, false);
  expect_target(manifest, up_to("4444"), 4, false);
  manifest.stores[2].layer.name = "nightly-03";
  expect_target(manifest, up_to("nightly-03"), 3, false);
  expect_target(manifest, up_to("1111"), 1, false);
  expect_nothing(
      manifest, up_to("4444"), 7623,
      "the older state nightly-03 (33333333) has a name or is in use, and would be lost");
  auto both = beside_reader_of(1);
  both.to = "nightly-03";
  expect_nothing(manifest, both, 7623,
                 "the older state 11111111 has a name or is in use, and would be lost");
  const auto unknown = merge::choose_target(manifest, up_to("weekly"), "/d");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind(), ErrorKind::kNotFound);
  expect_nothing(manifest, up_to("base"), 7622, "nothing to merge: that state is the base");
  add_base(manifest);
  expect_nothing(manifest, up_to("bbbb"), 7622, "nothing to merge: that state is the base");
}

TEST(ChooseTarget, SaysWhyThereIsNothing) {
  auto manifest = stack_of_states(0);
  expect_nothing(manifest, unchanged(), 7624, "nothing to merge: nothing was changed yet");
  add_base(manifest);
  expect_nothing(manifest, unchanged(), 7624,
                 "nothing to merge: nothing has changed since the last merge");
  manifest = stack_of_states(3);
  add_base(manifest, "nightly-02");
  for (const TargetRequest& request : {TargetRequest{}, up_to("1111")}) {
    expect_nothing(manifest, request, 7621,
                   "nothing to merge: the oldest named state is the base (nightly-02)");
  }
  manifest.base->name.clear();
  manifest.base->pins = 1;
  expect_nothing(manifest, {}, 7621,
                 "nothing to merge: the oldest named state is the base (bbbbbbbb)");
}

// To pack contents anew, a base is made of a state without changes, too.
TEST(ChooseTarget, SealsAnywayToRepack) {
  auto manifest = stack_of_states(0);
  add_base(manifest);
  const auto request = repacking(unchanged());
  expect_target(manifest, request, 1, true);
  expect_target(stack_of_states(0), request, 1, true);
  expect_target(stack_of_states(2), request, 3, true);
}

// A seal would be refused, until the layers are merged.
TEST(ChooseTarget, AFullStackIsMergedWithoutASeal) {
  expect_target(stack_of_states(delta::kLayersMax), {}, delta::kLayersMax, false);
  expect_target(stack_of_states(delta::kLayersMax - 1), {}, delta::kLayersMax, true);
}

// Its layers have no states until the next seal gives them some.
TEST(ChooseTarget, SealsAStackWithoutStates) {
  delta::Manifest manifest;
  manifest.stores.resize(3);
  expect_target(manifest, unchanged(), 3, true);
  expect_target(manifest, {}, 3, true);
  manifest.stores.resize(1);
  expect_target(manifest, {}, 1, true);
  expect_nothing(manifest, unchanged(), 7624, "nothing to merge: nothing was changed yet");
}

// No program makes them; a manifest may have them all the same. A base without a state would be
// refused after all the work.
TEST(ChooseTarget, RefusesAFullStackWithoutStates) {
  delta::Manifest manifest;
  manifest.stores.resize(delta::kLayersMax + 1);
  const auto target = merge::choose_target(manifest, {}, "/d");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(target.error().message(),
            "/d: has 16 layers without states; 'dgfs merge' packs them into an image");
  manifest.stores.pop_back();
  expect_target(manifest, {}, delta::kLayersMax, true);
}

// An Env that tells which processes hold locks.
class HeldEnv final : public storage::ForwardingEnv {
 public:
  using Holders = std::map<std::string, std::vector<std::uint64_t>>;  // processes by path

  HeldEnv(storage::Env& base, Holders holders)
      : storage::ForwardingEnv(base), holders_(std::move(holders)) {}
  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    DGFS_TRY(file, base().open(path, options));
    const auto found = holders_.find(path);
    if (found == holders_.end()) return file;
    return std::unique_ptr<storage::File>(new HeldFile(std::move(file), found->second));
  }

 private:
  class HeldFile final : public storage::ForwardingFile {
   public:
    HeldFile(std::unique_ptr<storage::File> inner, std::vector<std::uint64_t> processes)
        : storage::ForwardingFile(std::move(inner)), processes_(std::move(processes)) {}
    std::vector<storage::LockHolder> lock_holders() const override {
      std::vector<storage::LockHolder> holders;
      for (const auto process : processes_) holders.push_back({process, "dgfs"});
      return holders;
    }

   private:
    std::vector<std::uint64_t> processes_;
  };

  const Holders holders_;
};

class UsedStates : public OfflineMergeTest {
 protected:
  static constexpr const char* kFirst = "/delta/0001/store";
  static constexpr const char* kSecond = "/delta/0002/store";
  static constexpr const char* kThird = "/delta/0003/store";

  std::optional<std::size_t> oldest_with(const HeldEnv::Holders& holders) {
    HeldEnv env(memory(), holders);
    return merge::oldest_used_state(env, kDelta, manifest());
  }
  UsedStates() {
    changed_.pack();
    for (const char* name : {"one", "two", "three"}) {
      seal([&](view::View& view) { make_file(view, name, name); });
    }
  }
};

// A process locks all layers of the state that it looks at.
TEST_F(UsedStates, AreThoseThatOtherProcessesLookAt) {
  EXPECT_EQ(oldest_with({}), std::nullopt);
  EXPECT_EQ(oldest_with({{kFirst, {71}}}), 1U);
  EXPECT_EQ(oldest_with({{kFirst, {71}}, {kSecond, {71}}}), 2U);
  EXPECT_EQ(oldest_with({{kFirst, {71}}, {kSecond, {71}}, {kThird, {71}}}), 3U);
  EXPECT_EQ(oldest_with({{kFirst, {72, 71}}, {kSecond, {72}}, {kThird, {72}}}), 1U);
  EXPECT_EQ(oldest_with({{kFirst, {71, 72}}, {kSecond, {72, 71}}, {kThird, {71}}}), 2U);
  const auto own = memory().process_id();
  EXPECT_EQ(oldest_with({{kFirst, {own}}, {kSecond, {own}}}), std::nullopt);
  EXPECT_EQ(oldest_with({{kFirst, {own, 71}}, {kSecond, {own}}}), 1U);
}

TEST_F(UsedStates, EndAMerge) {
  HeldEnv env(memory(), {{kFirst, {71}}, {kSecond, {71}}});
  merge::BaseSource source;
  source.directory = kDelta;
  source.image_path = kImage;
  const auto second = manifest().stores[1].layer.state;
  value_of(merge::merge_offline(env, source, request_of(), {}));
  EXPECT_EQ(manifest().base->state, second);
  EXPECT_EQ(delta::layers_of(manifest()), 1U);
}

// Of readers in one process it does not tell: a merge reads layers itself.
TEST_F(UsedStates, AreNotThoseOfTheSameProcess) {
  EXPECT_EQ(merge::oldest_used_state(memory(), kDelta, manifest()), std::nullopt);
  const auto find = [](const delta::Manifest&) -> Result<std::size_t> { return std::size_t{2}; };
  delta::StoreOptions options;
  options.access = delta::StoreAccess::kReadOnly;
  const auto reader = delta::DeltaDirectory::open_state(memory(), kDelta, find, options);
  ASSERT_TRUE(reader);
  EXPECT_EQ(merge::oldest_used_state(memory(), kDelta, manifest()), std::nullopt);
}

}  // namespace
}  // namespace dgfs::test
