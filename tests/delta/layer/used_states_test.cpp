// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/layer/used_states.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/forwarding_env.h"
#include "tests/delta/layer/joined_delta.h"

namespace dgfs::test {
namespace {

using namespace delta;

// An Env that tells which processes hold locks.
class LockTableEnv final : public storage::ForwardingEnv {
 public:
  using Holders = std::map<std::string, std::vector<std::uint64_t>>;  // processes by path

  LockTableEnv(storage::Env& base, Holders holders)
      : storage::ForwardingEnv(base), holders_(std::move(holders)) {}
  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    DGFS_TRY(file, base().open(path, options));
    const auto found = holders_.find(path);
    if (found == holders_.end()) return file;
    return std::unique_ptr<storage::File>(new LockedFile(std::move(file), found->second));
  }

 private:
  class LockedFile final : public storage::ForwardingFile {
   public:
    LockedFile(std::unique_ptr<storage::File> inner, std::vector<std::uint64_t> processes)
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

class LayersInUse : public JoinedDelta {
 protected:
  static constexpr const char* kFirst = "/d/0001/store";
  static constexpr const char* kSecond = "/d/0002/store";
  static constexpr const char* kThird = "/d/0003/store";

  std::set<std::size_t> used_with(const LockTableEnv::Holders& holders) {
    LockTableEnv env(*disk_, holders);
    return layer::used_states(env, "/d", manifest());
  }
};

// A process locks all layers of the state that it looks at.
TEST_F(LayersInUse, AreTheUppermostThatAProcessLocks) {
  add_four();
  using Used = std::set<std::size_t>;
  EXPECT_EQ(used_with({}), Used());
  EXPECT_EQ(used_with({{kFirst, {71}}}), Used({1}));
  EXPECT_EQ(used_with({{kFirst, {71}}, {kSecond, {71}}}), Used({2}));
  EXPECT_EQ(used_with({{kFirst, {72, 71}}, {kSecond, {72}}, {kThird, {72}}}), Used({1, 3}));
  const auto own = disk_->process_id();
  EXPECT_EQ(used_with({{kFirst, {own, 71}}, {kSecond, {own}}}), Used({1}));
}

TEST_F(LayersInUse, EndAJoin) {
  add_four();
  LockTableEnv env(*disk_, {{kFirst, {71}}, {kSecond, {71}}});
  const auto second = manifest().stores[1].layer.state;
  const auto outcome = layer::join_offline(env, "/d", {});
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(manifest().stores.size(), 3U);
  EXPECT_EQ(manifest().stores[0].layer.state, second);
}

TEST_F(LayersInUse, LayersWithoutStatesAllStay) {
  auto old = manifest();
  ASSERT_EQ(old.version, kFirstManifestVersion);
  old.stores.push_back(old.stores[0]);
  EXPECT_EQ(layer::layer_sizes(*disk_, "/d", old).value().size(), 1U);
  EXPECT_TRUE(layer::layer_sizes(*disk_, "/d", old).value()[0].stays);
}

}  // namespace
}  // namespace dgfs::test
