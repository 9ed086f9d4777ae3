// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/name_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "storage/testing/faulty_env.h"
#include "tests/storage/env_fixture.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using storage::NameLock;

class NameLockTest : public EnvTest {
 protected:
  Result<std::unique_ptr<NameLock>> take(const std::string& name) {
    return NameLock::take(env(), at(name));
  }
  std::vector<std::string> names() { return root()->list().value(); }
};
DGFS_INSTANTIATE_ENV_SUITE(NameLockTest);

TEST_P(NameLockTest, KeepsOthersOutUntilItGoesAndLeavesNothing) {
  auto first = take("x").value();
  const auto second = take("x");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kBusy);
  const auto number = std::to_string(env().process_id());
  EXPECT_EQ(second.error().message(),
            at("x") + ": another dgfs command (process " + number + ") is writing this file");
  EXPECT_EQ(names(), std::vector<std::string>{".x.lock"});
  EXPECT_TRUE(take("y"));
  first.reset();
  EXPECT_TRUE(names().empty());
  EXPECT_TRUE(take("x"));
}

// The lock is on the name, not on the file, which is replaced meanwhile.
TEST_P(NameLockTest, OutlivesTheFileThatHasTheName) {
  create(at("x"), "old");
  const auto first = take("x").value();
  const auto file = env().create_unnamed(root_path()).value();
  ASSERT_OK(env().publish(*file, at("x")));
  EXPECT_FAILS(ErrorKind::kBusy, take("x"));
}

TEST_P(NameLockTest, IsOneHoweverThePathIsSpelt) {
  ASSERT_OK(env().make_directory(at("d"), 0755));
  ASSERT_OK(root()->make_symlink("link", "d"));
  const auto first = take("d/x").value();
  EXPECT_FAILS(ErrorKind::kBusy, take("link/x"));
  EXPECT_FAILS(ErrorKind::kBusy, take("d/../d/./x"));
}

// A killed process leaves such a file.
TEST_P(NameLockTest, ALeftoverIsNobodysAndIsRemoved) {
  create(at(".x.lock"), "999999");
  ASSERT_OK(root()->make_link(*root(), ".x.lock", "its content"));
  auto lock = take("x").value();
  const auto second = take("x");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message().find("999999"), std::string::npos);
  lock.reset();
  EXPECT_EQ(names(), std::vector<std::string>{"its content"});
  EXPECT_EQ(content(at("its content")), "999999") << "the lock must not write to the existing file";
}

TEST_P(NameLockTest, IsNotTakenWhereSomethingElseHasItsName) {
  create(at("victim"), "precious");
  ASSERT_OK(root()->make_symlink(".x.lock", "victim"));
  EXPECT_FAILS(ErrorKind::kExists, take("x"));
  EXPECT_EQ(content(at("victim")), "precious");
  ASSERT_OK(root()->make_node(".y.lock", 0010600, 0));
  EXPECT_FAILS(ErrorKind::kExists, take("y"));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, take(".."));
  EXPECT_FAILS(ErrorKind::kNotFound, take("absent/x"));
}

TEST_P(NameLockTest, LeavesTheFileOfWhoeverCameNext) {
  auto lock = take("x").value();
  ASSERT_OK(root()->remove(".x.lock"));  // a user removes it
  const auto next = take("x").value();
  lock.reset();
  EXPECT_EQ(names(), std::vector<std::string>{".x.lock"});
  EXPECT_FAILS(ErrorKind::kBusy, take("x"));
}

TEST_P(NameLockTest, OfNamesThatAreTooLongDiffer) {
  const std::string stem(250, 'n');
  const auto first = take(stem + ".a").value();
  EXPECT_FAILS(ErrorKind::kBusy, take(stem + ".a"));
  EXPECT_TRUE(take(stem + ".b"));
  EXPECT_LE(storage::lock_name(std::string(255, 'x')).size(), 255U);
}

TEST_P(NameLockTest, OfSeveralAreAllOrNone) {
  auto held = take("b").value();
  EXPECT_FAILS(ErrorKind::kBusy, storage::lock_names(env(), {at("a"), at("b"), at("c")}));
  EXPECT_EQ(names(), std::vector<std::string>{".b.lock"});
  held.reset();
  const auto locks = storage::lock_names(env(), {at("c"), at("b"), at("a")}).value();
  EXPECT_EQ(locks.size(), 3U);
  EXPECT_FAILS(ErrorKind::kBusy, take("a"));
}

// Of many threads that try at once, one holds the lock at a time, and each that held it has done
// its work.
TEST_P(NameLockTest, IsHeldByOneThreadAtATime) {
  create(at(".x.lock"), "");
  std::atomic<int> holders = 0;
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const auto lock = take("x");
        if (!lock) continue;
        EXPECT_EQ(++holders, 1);
        ++taken;
        --holders;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GT(taken, 0);
  EXPECT_TRUE(names().empty());
}

TEST_P(NameLockTest, OfAFileSystemWithoutLocksKeepsNobodyOut) {
  // The first call after the open takes the lock.
  HookEnv lacking(env(), [is_open = false](CallKind kind, const std::string&) mutable -> Status {
    const bool was_open = std::exchange(is_open, kind == CallKind::kCreate);
    return was_open ? Status(Error(ErrorKind::kUnsupported, 1, "no locks")) : ok();
  });
  const auto first = NameLock::take(lacking, at("x"));
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_FALSE(first.value()->file_status());
  EXPECT_TRUE(NameLock::take(lacking, at("x")));
  EXPECT_TRUE(names().empty());
}

TEST_P(NameLockTest, IsThereOrNotWhateverFails) {
  const auto faulty = storage::make_faulty_env(env(), 1);
  std::uint64_t failures = 0;
  for (const bool has_leftover : {false, true}) {
    for (std::uint64_t call = 1;; ++call) {
      if (has_leftover) create(at(".x.lock"), "1");
      faulty->arm({storage::FaultKind::kIoError, call, false});
      {
        const auto lock = NameLock::take(*faulty, at("x"));
        failures += !lock;
      }
      const bool has_fired = faulty->fired() != 0;
      EXPECT_TRUE(take("x")) << call;
      if (!has_fired) break;
      ASSERT_LT(call, 100U);
    }
  }
  EXPECT_GT(failures, 5U);
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace dgfs::test
