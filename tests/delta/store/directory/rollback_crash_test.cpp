// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The machine stops, or a call fails, at each storage call of a rollback and of a drop, and at one
// of the opening that follows.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "delta/store/directory/dropped_states.h"
#include "delta/store/directory/rollback.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/store/directory/based_delta.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CrashLoss;

constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                CrashLoss::kRandomSubset, CrashLoss::kScattered};

class RollbackCrash : public BasedDelta {
 protected:
  // What the delta is before the rollback.
  enum class Kind : std::uint8_t {
    kLayers,
    kBase,        ///< with a base below the layers
    kDamaged,     ///< the newest store and a layer cannot be opened
    kWithoutAny,  ///< of version 2, without states
  };

  void start(Kind kind) {
    disk_ = storage::make_memory_env(1);
    ASSERT_TRUE(DeltaDirectory::create(*disk_, "/d", {}, kBorn, options()));
    kind_ = kind;
    if (kind != Kind::kWithoutAny) {
      for (const char* value : {"first", "second", "third"}) seal(value, value);
    }
    if (kind == Kind::kBase) merge(1);
    put("live");
    if (kind == Kind::kDamaged) {
      ASSERT_TRUE(disk_->remove("/d/0003/blocks"));
      ASSERT_TRUE(disk_->remove("/d/0004/store"));
    }
    sync_all();
    before_ = manifest();
    plan_ = {};
    plan_.layers = layers_of(before_) == 0 ? 0 : 1;
    plan_.objects = 9000;
    plan_.sequence = 500;
    plan_.parameters = options().parameters;
  }
  void sync_all() {
    for (const auto& name : names()) {
      const auto file = disk_->open("/d/" + name, {storage::OpenOptions::Mode::kReadWrite});
      if (file) {
        ASSERT_TRUE(file.value()->sync());
        continue;
      }
      const auto files = disk_->open_directory("/d/" + name).value()->list().value();
      for (const auto& inner : files) {
        const auto path = "/d/" + name + "/" + inner;
        ASSERT_TRUE(disk_->open(path, {storage::OpenOptions::Mode::kReadWrite}).value()->sync());
      }
      ASSERT_TRUE(disk_->sync_directory("/d/" + name));
    }
    ASSERT_TRUE(disk_->sync_directory("/d"));
  }
  // Returns whether the caller may rely on it.
  bool roll_back(storage::Env& env) {
    auto locked = lock_manifest(env, "/d", StoreAccess::kReadWrite);
    return locked && delta::roll_back(env, "/d", locked.value(), plan_);
  }
  // A damaged delta cannot be opened before it is rolled back. Returns whether it was.
  std::optional<bool> expect_old_or_new() {
    const auto now = manifest();
    const bool is_new = now.stores.size() == plan_.layers + 1 &&
                        now.stores.back().number != before_.stores.back().number;
    if (!is_new) {
      EXPECT_TRUE(now.says_the_same(before_));
    } else {
      EXPECT_EQ(now.stores.back().born_object, plan_.objects);
      EXPECT_EQ(now.stores.back().first_sequence, plan_.sequence);
    }
    if (!is_new && kind_ == Kind::kDamaged) return is_new;
    const auto delta = open();
    if (delta == nullptr) return std::nullopt;
    EXPECT_EQ(names(), expected_names());
    EXPECT_EQ(value_in(delta->newest()), is_new ? "none" : "live");
    const auto stores = delta->stores();
    if (stores.size() > 1) {
      EXPECT_EQ(value_in(*stores[0]), kind_ == Kind::kBase ? "second" : "first");
    }
    Batch batch;
    batch.put("key", "later");
    EXPECT_TRUE(delta->newest().apply(batch) && delta->newest().sync());
    return is_new;
  }
  // What an opening for writing leaves.
  [[nodiscard]] Names expected_names() {
    const auto now = manifest();
    Names expected = {"MANIFEST", "lock"};
    for (const auto& store : now.stores) expected.push_back(store.name());
    if (now.base) {
      const auto base = base_file_name(now.base->number);
      expected.push_back(base);
      expected.push_back(base + ".idx");
    }
    std::sort(expected.begin(), expected.end());
    return expected;
  }

  Kind kind_ = Kind::kLayers;
  Manifest before_;
  RollbackPlan plan_;
};

TEST_F(RollbackCrash, LeavesTheOldStackOrTheNewAndNothingElse) {
  int olds = 0;
  int news = 0;
  for (const auto kind : {Kind::kLayers, Kind::kBase, Kind::kDamaged, Kind::kWithoutAny}) {
    bool has_stopped = true;
    for (std::uint64_t call = 1; has_stopped; ++call) {
      for (const auto loss : kLosses) {
        SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << ", call " << call
                                          << ", loss " << static_cast<int>(loss));
        start(kind);
        bool is_acknowledged = false;
        {
          StoppingEnv env(*disk_, call);
          is_acknowledged = roll_back(env.env()) && !env.has_stopped();
          has_stopped = env.has_stopped();
        }
        disk_->crash(loss, call);
        {
          StoppingEnv opening(*disk_, 1 + call * 7 % 97);
          static_cast<void>(DeltaDirectory::open(opening.env(), "/d", options()));
          if (opening.has_stopped()) disk_->crash(loss, call + 1);
        }
        const auto is_new = expect_old_or_new();
        ASSERT_TRUE(is_new.has_value());
        EXPECT_TRUE(*is_new || !is_acknowledged);
        ++(*is_new ? news : olds);
        ASSERT_FALSE(HasFailure());
      }
    }
  }
  EXPECT_GT(olds, 200);
  EXPECT_GT(news, 100);
}

TEST_F(RollbackCrash, AFailedCallLeavesTheOldStackOrTheNew) {
  for (const auto error : {ErrorKind::kIo, ErrorKind::kNoSpace}) {
    int refused = 0;
    int made = 0;
    for (const auto kind : {Kind::kLayers, Kind::kBase, Kind::kDamaged, Kind::kWithoutAny}) {
      bool has_failed = true;
      for (std::uint64_t call = 1; has_failed; ++call) {
        SCOPED_TRACE(::testing::Message()
                     << "kind " << static_cast<int>(kind) << ", call " << call);
        start(kind);
        std::uint64_t left = call;
        has_failed = false;
        bool is_acknowledged = false;
        {
          HookEnv env(*disk_, [&](storage::CallKind, const std::string& path) -> Status {
            if (--left != 0) return ok();
            has_failed = true;
            return Error(error, 1133, "a fault").in_file(path);
          });
          is_acknowledged = roll_back(env);
        }
        const auto is_new = expect_old_or_new();
        ASSERT_TRUE(is_new.has_value());
        EXPECT_TRUE(*is_new || !is_acknowledged);
        ++(is_acknowledged ? made : refused);
        ASSERT_FALSE(HasFailure());
      }
    }
    EXPECT_GT(refused, 50);
    EXPECT_GT(made, 20);
  }
}

TEST_F(RollbackCrash, ADropIsOneChange) {
  int olds = 0;
  int news = 0;
  bool has_stopped = true;
  for (std::uint64_t call = 1; has_stopped; ++call) {
    for (const auto loss : kLosses) {
      SCOPED_TRACE(::testing::Message() << "call " << call << ", loss " << static_cast<int>(loss));
      start(Kind::kBase);
      const std::array states = {before_.base->state, before_.stores[0].layer.state};
      bool is_acknowledged = false;
      {
        StoppingEnv env(*disk_, call);
        auto locked = lock_manifest(env.env(), "/d", StoreAccess::kReadWrite);
        is_acknowledged = locked && drop_states(env.env(), "/d", locked.value(), states);
        has_stopped = env.has_stopped();
      }
      disk_->crash(loss, call);
      {
        StoppingEnv opening(*disk_, 1 + call * 5 % 61);
        static_cast<void>(DeltaDirectory::open(opening.env(), "/d", options()));
        if (opening.has_stopped()) disk_->crash(loss, call + 1);
      }
      const auto delta = open();
      ASSERT_NE(delta, nullptr);
      const auto& now = delta->manifest();
      const bool is_new = now.base->name.empty();
      EXPECT_EQ(now.stores[0].layer.name.empty(), is_new);
      EXPECT_EQ(now.stores[1].layer.name, "third");
      EXPECT_EQ(value_in(delta->newest()), "live");
      EXPECT_EQ(names(), expected_names());
      EXPECT_TRUE(is_new || !is_acknowledged);
      ++(is_new ? news : olds);
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(olds, 20);
  EXPECT_GT(news, 10);
}

}  // namespace
}  // namespace dgfs::test
