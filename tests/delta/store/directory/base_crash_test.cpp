// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops at each call of a change of the base, of the clean-up after it, and of the
// opening that follows.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/store/directory/based_delta.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CrashLoss;

class BaseCrash : public BasedDelta {
 protected:
  // A base, which the next one keeps or not, two layers over it, and a change in the live store.
  void start(bool keeps) {
    disk_ = storage::make_memory_env(1);
    ASSERT_TRUE(DeltaDirectory::create(*disk_, "/d", {}, kBorn, options()));
    for (const char* value : {"first", "second", "third"}) seal(value, "");
    old_ = merge(1);
    put("live");
    sync_files();
    next_ = {};
    keeps_ = keeps;
  }
  // Returns whether the caller may rely on the new base. Its files are durable from the start.
  bool change(storage::Env& env) {
    const auto opened = DeltaDirectory::open(env, "/d", options());
    if (!opened) return false;
    next_ = plan(manifest(), 1, keeps_ ? std::vector{old_} : std::vector<std::uint64_t>());
    sync_files();
    if (!commit_base(*opened.value(), next_)) return false;
    static_cast<void>(opened.value()->remove_unneeded());
    return true;
  }
  void sync_files() {
    for (const auto& name : names()) {
      const auto file = disk_->open("/d/" + name, {storage::OpenOptions::Mode::kReadWrite});
      if (!file) continue;  // a directory
      ASSERT_TRUE(file.value()->sync());
    }
    ASSERT_TRUE(disk_->sync_directory("/d"));
  }
  // What an opening for writing leaves.
  [[nodiscard]] Names expected_names(const Manifest& now) const {
    Names expected = {"MANIFEST", "lock"};
    for (const auto& store : now.stores) expected.push_back(store.name());
    const auto base = base_file_name(now.base->number);
    expected.push_back(base);
    expected.push_back(base + ".idx");
    for (const auto number : now.base->kept) expected.push_back(base_file_name(number));
    std::sort(expected.begin(), expected.end());
    return expected;
  }

  bool keeps_ = false;
  std::uint64_t old_ = 0;
  BasePlan next_;
};

TEST_F(BaseCrash, LeavesTheOldBaseOrTheNewAndNothingElse) {
  constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                  CrashLoss::kRandomSubset, CrashLoss::kScattered};
  int olds = 0;
  int news = 0;
  for (const bool keeps : {false, true}) {
    bool has_stopped = true;
    for (std::uint64_t call = 1; has_stopped && !HasFatalFailure(); ++call) {
      for (const auto loss : kLosses) {
        const auto where = ::testing::Message() << "call " << call << ", loss "
                                                << static_cast<int>(loss) << ", keeps " << keeps;
        start(keeps);
        bool is_acknowledged = false;
        {
          StoppingEnv env(*disk_, call);
          is_acknowledged = change(env.env());
          has_stopped = env.has_stopped();
        }
        disk_->crash(loss, call);
        StoppingEnv opening(*disk_, 1 + call * 7 % 97);
        static_cast<void>(DeltaDirectory::open(opening.env(), "/d", options()));
        if (opening.has_stopped()) disk_->crash(loss, call + 1);
        const auto delta = open();
        ASSERT_NE(delta, nullptr) << where;
        const auto& now = delta->manifest();
        ASSERT_TRUE(now.base) << where;
        const bool is_new = now.base->number == next_.base.number;
        ASSERT_TRUE(is_new || (now.base->number == old_ && !is_acknowledged)) << where;
        is_new ? ++news : ++olds;
        const auto stores = delta->stores();
        ASSERT_EQ(stores.size(), is_new ? 2U : 3U) << where;
        ASSERT_EQ(value_in(*stores[stores.size() - 2]), "third") << where;
        ASSERT_EQ(value_in(delta->newest()), "live") << where;
        ASSERT_EQ(names(), expected_names(now)) << where;
      }
    }
  }
  EXPECT_GT(olds, 50);
  EXPECT_GT(news, 50);
}

}  // namespace
}  // namespace dgfs::test
