// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A sync that fails and loses the bytes it was to write, as on Linux: reads still return them, and
// later syncs succeed. The store reports the failure to all writers until it is opened again.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <semaphore>
#include <thread>

#include "storage/testing/faulty_env.h"
#include "tests/delta/store/crash/crash_explorer.h"
#include "tests/delta/store/crash/crash_workload.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CrashLoss;
using storage::FaultKind;

void expect_poisoned(delta::Store& store) {
  delta::Batch batch;
  batch.put("key", "value");
  const auto failed = store.sync();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind(), ErrorKind::kIo);
  for (const auto& again :
       {applied(store, batch), store.sync(), store.checkpoint(), store.sync()}) {
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().message(), failed.error().message());
  }
}

class LostSync : public testing::TestWithParam<std::uint64_t> {
 protected:
  // Returns false if there is no such call.
  bool fail_at(std::uint64_t call) {
    const auto disk = storage::make_memory_env(1);
    const auto faulty = storage::make_faulty_env(*disk, call);
    faulty->lose_with([&](const std::string& path) { ASSERT_TRUE(disk->lose_unsynced(path)); });
    faulty->arm({FaultKind::kLostSync, call});
    StoppingEnv unstopped(*faulty, 0);
    workload_.run(unstopped, 60, [&](delta::Store& store) {
      expect_poisoned(store);
      ++poisoned_;
    });
    if (faulty->calls() < call) return false;
    if (faulty->fired() != 0) go_on(*disk, call);
    return true;
  }

  CrashWorkload workload_{GetParam()};
  int poisoned_ = 0;

 private:
  // Half the time the machine stops at once. Otherwise another process first works with the bytes
  // that reads return, and stops at one of its calls.
  void go_on(storage::MemoryEnv& disk, std::uint64_t call) {
    Random random(GetParam() * 1009 + call);
    CrashHistory history = workload_.history();
    if (random.one_in(2)) {
      StoppingEnv env(disk, 1 + random.below(60));
      run_script(env, workload_.options(),
                 {Letter::kPutA, Letter::kCheckpoint, Letter::kPutB, Letter::kCheckpoint}, history);
    }
    disk.crash(random.one_in(2) ? CrashLoss::kDropUnsynced : CrashLoss::kScattered, random.seed());
    expect_recovered(disk, workload_.options(), history);
  }
};

TEST_P(LostSync, EndsWritingAndKeepsWhatWasDurable) {
  for (std::uint64_t call = 1; fail_at(call); ++call) {
    ASSERT_FALSE(HasFailure()) << "call " << call;
  }
  EXPECT_GT(poisoned_, 0);
}

// A group syncs its values; this sync fails and loses them. Meanwhile a checkpoint comes to sync
// the same file, which then has nothing more to write. The checkpoint waits for the first sync to
// end, and must fail, too.
TEST(LostSyncOfTwo, TheSecondIsToldWhatTheFirstHasSeen) {
  // Released once more at the end, so that no thread hangs.
  using Signal = std::counting_semaphore<2>;
  Signal checkpoint_syncs(0);
  Signal writer_syncs(0);
  Signal checkpoint_ended(0);
  const auto disk = storage::make_memory_env(1);
  enum class Role : std::uint8_t { kNone, kWriter, kCheckpoint };
  thread_local auto role = Role::kNone;
  HookEnv env(*disk, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (kind != storage::CallKind::kSync) return ok();
    if (role == Role::kCheckpoint && path == "/s/blocks") {  // the sync of the values comes next
      checkpoint_syncs.release();
      writer_syncs.acquire();
    }
    if (role != Role::kWriter || path != "/s/extents") return ok();
    writer_syncs.release();
    EXPECT_FALSE(checkpoint_ended.try_acquire_for(std::chrono::milliseconds(200)));
    EXPECT_TRUE(disk->lose_unsynced(path));
    return Error(ErrorKind::kIo, 1192, "a sync that fails").in_file(path);
  });
  delta::StoreOptions options;
  options.create = true;
  options.parameters.inline_bytes = 10;
  const std::map<std::string, std::string> values = {
      {"a", std::string(3000, 'a')}, {"b", std::string(3000, 'b')}, {"c", std::string(3000, 'c')}};
  {
    const auto store = open_store(env, options);
    ASSERT_NE(store, nullptr);
    const auto put = [&](const std::string& key) {
      delta::Batch batch;
      batch.put(key, values.at(key));
      return store->apply(batch);
    };
    ASSERT_TRUE(put("a"));
    ASSERT_TRUE(store->sync());
    ASSERT_TRUE(put("b"));
    std::jthread writer([&] {
      role = Role::kWriter;
      checkpoint_syncs.acquire();
      EXPECT_TRUE(put("c"));
      EXPECT_FALSE(store->sync());
      writer_syncs.release();
    });
    role = Role::kCheckpoint;
    EXPECT_FALSE(store->checkpoint());
    role = Role::kNone;
    checkpoint_ended.release();
    checkpoint_syncs.release();
    writer.join();
    expect_poisoned(*store);
  }
  disk->crash(CrashLoss::kDropUnsynced, 1);
  const auto store = open_store(*disk, options);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(values_of(*store),
            (std::map<std::string, std::string>{*values.find("a"), *values.find("b")}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, LostSync, testing::Range<std::uint64_t>(0, 8));

}  // namespace
}  // namespace dgfs::test
