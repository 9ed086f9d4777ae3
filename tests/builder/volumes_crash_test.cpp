// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Builds with further volumes, over an older image with volumes of the same names. Each storage
// call fails once: all files stay as before. Each call is the last before a power cut: the old tree
// or the new one then opens, and each of its files can be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "builder/build.h"
#include "reader/image.h"
#include "storage/memory/env.h"
#include "storage/names.h"
#include "storage/testing/faulty_env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::FaultKind;
using Files = std::map<std::string, Buffer>;

constexpr int kFiles = 12;

std::string content_of(int file, const std::string& state) { return state + std::to_string(file); }

// Parameters: whether the file system has hard links, and where the new index goes.
class VolumesCrashTest : public testing::TestWithParam<std::tuple<bool, std::string>> {
 protected:
  struct Machine {
    std::unique_ptr<storage::MemoryEnv> env = storage::make_memory_env(1);
    SourceTree tree{*env, "/src"};
  };

  static bool has_links() { return std::get<0>(GetParam()); }
  static builder::BuildOptions old_options_of(const Machine& machine) {
    auto options = options_for(machine.tree, "/out/i");
    options.jobs = 1;
    options.volume_paths = {"/v/a", "/out/b"};
    options.volume_groups = builder::GroupLimits{2, 1 << 20};
    return options;
  }
  static builder::BuildOptions options_of(const Machine& machine) {
    auto options = old_options_of(machine);
    options.index_path = std::get<1>(GetParam());
    return options;
  }
  /// Makes an old image, all of it durable, and a tree for a new one.
  static std::unique_ptr<Machine> machine_with_old_image() {
    auto machine = std::make_unique<Machine>();
    storage::Env& env = *machine->env;
    for (const std::string path : {"/out", "/v"}) EXPECT_TRUE(env.make_directory(path, 0755));
    for (int i = 0; i < kFiles; ++i) machine->tree.file(std::to_string(i), content_of(i, "old"));
    EXPECT_TRUE(builder::build(env, old_options_of(*machine)));
    for (int i = 0; i < kFiles; ++i) {
      EXPECT_TRUE(env.remove("/src/" + std::to_string(i)));
      machine->tree.file(std::to_string(i), content_of(i, "new"));
    }
    for (const std::string path : {"/", "/out", "/v"}) EXPECT_TRUE(env.sync_directory(path));
    return machine;
  }
  static Files files_in(storage::Env& env) {
    Files files;
    for (const std::string directory : {"/out", "/v"}) {
      const auto names = env.open_directory(directory).value()->list().value();
      for (const auto& name : names) {
        const auto path = directory + "/" + name;
        files[path] = read_whole(env, path).value();
      }
    }
    return files;
  }
  /// No file gets a second name, as on vfat.
  static HookEnv::Hook refuse_links() {
    return [](storage::CallKind kind, const std::string&) -> Status {
      if (has_links() || kind != storage::CallKind::kLink) return ok();
      return Error(ErrorKind::kPermission, 9100, "no hard links here");
    };
  }
  static void expect_one_tree(storage::Env& env, std::uint64_t call) {
    reader::OpenOptions options;
    options.volume_paths = {"/v/a"};
    const auto image = reader::Image::open(env, "/out/i", options);
    ASSERT_TRUE(image) << "call " << call << ": " << image.error().message();
    std::string state;
    for (int i = 0; i < kFiles; ++i) {
      const auto node = image.value()->lookup(std::to_string(i));
      ASSERT_TRUE(node) << call;
      Buffer bytes(node.value().size_bytes);
      const auto read = image.value()->read(node.value(), 0, bytes);
      ASSERT_TRUE(read) << "call " << call << ": " << read.error().message();
      if (i == 0) state = std::string(as_text(bytes)).substr(0, 3);
      EXPECT_EQ(as_text(bytes), content_of(i, state)) << call;
    }
    const auto dump = dump_image(env, "/out/i", {}, {"/v"});
    EXPECT_TRUE(dump) << "call " << call << ": " << dump.error().message();
  }
  static bool has_hidden_image(storage::Env& env) {
    const auto names = env.open_directory("/out").value()->list().value();
    return std::ranges::any_of(names, [](const std::string& name) {
      return storage::is_hidden_name_of(name, "i", "old");
    });
  }
  static void expect_rebuilt(const Machine& machine) {
    // The source was not synced, so the test cannot know what is left of it.
    const auto report = builder::build(*machine.env, options_of(machine));
    ASSERT_TRUE(report) << report.error().message();
    const auto dump = dump_image(*machine.env, "/out/i", {}, {"/v"});
    EXPECT_TRUE(dump) << dump.error().message();
  }
  static void fail_every_call(FaultKind kind, unsigned failures_min) {
    auto machine = machine_with_old_image();
    const Files before = files_in(*machine->env);
    unsigned failures = 0;
    for (std::uint64_t call = 1;; ++call) {
      const auto faulty = storage::make_faulty_env(*machine->env, 1);
      HookEnv env(*faulty, refuse_links());
      faulty->arm({kind, call, false});
      const auto report = builder::build(env, options_of(*machine));
      if (faulty->calls() < call) break;
      if (report) {
        // The build survives a fault while it removes old files, or while it looks at the old
        // index. That index then stays beside an image that has its own index elsewhere.
        if (std::get<1>(GetParam()) == "/out/i.idx") expect_one_tree(*machine->env, call);
        machine = machine_with_old_image();
        continue;
      }
      ++failures;
      EXPECT_TRUE(files_in(*machine->env) == before) << call << ": " << report.error().message();
      if (HasFailure()) return;
    }
    EXPECT_GT(failures, failures_min);
  }
};
INSTANTIATE_TEST_SUITE_P(LinksAndIndex, VolumesCrashTest,
                         testing::Combine(testing::Bool(),
                                          testing::Values("/out/i.idx", "", "/v/index.idx")));

TEST_P(VolumesCrashTest, AnIoErrorLeavesAllAsBefore) { fail_every_call(FaultKind::kIoError, 40); }

TEST_P(VolumesCrashTest, ATornWriteLeavesAllAsBefore) { fail_every_call(FaultKind::kTornWrite, 5); }

TEST_P(VolumesCrashTest, AFullDeviceLeavesAllAsBefore) { fail_every_call(FaultKind::kNoSpace, 8); }

TEST_P(VolumesCrashTest, APowerCutLeavesOneOfTheTwoTrees) {
  for (const auto loss : {storage::CrashLoss::kDropUnsynced, storage::CrashLoss::kKeepAll,
                          storage::CrashLoss::kRandomSubset}) {
    for (std::uint64_t call = 1;; ++call) {
      const auto machine = machine_with_old_image();
      const auto faulty = storage::make_faulty_env(*machine->env, 1);
      HookEnv env(*faulty, refuse_links());
      faulty->arm({FaultKind::kStop, call, false});
      static_cast<void>(builder::build(env, options_of(*machine)));
      const bool fired = faulty->fired() != 0;
      machine->env->crash(loss, call);
      // Without hard links there is a moment without an image (builder/publish/publisher.h).
      const bool is_there = has_links() || machine->env->status("/out/i").has_value();
      if (is_there) {
        expect_one_tree(*machine->env, call);
        // Old volumes that no image needs do not hinder the next build.
        if (call % 3 == 0) expect_rebuilt(*machine);
      }
      if (!fired || HasFatalFailure()) break;
      ASSERT_LT(call, 10000);
    }
  }
}

// A call fails, and the power goes while the build undoes the steps before it.
TEST_P(VolumesCrashTest, APowerCutWhileAnErrorIsUndoneLeavesOneOfTheTwoTrees) {
  std::uint64_t calls = 0;
  {
    const auto machine = machine_with_old_image();
    const auto faulty = storage::make_faulty_env(*machine->env, 1);
    ASSERT_TRUE(builder::build(*faulty, options_of(*machine)));
    calls = faulty->calls();
  }
  constexpr std::uint64_t kPublishingCalls = 60;
  ASSERT_GT(calls, kPublishingCalls);
  for (std::uint64_t call = calls - kPublishingCalls; call <= calls; ++call) {
    for (std::uint64_t later = 1 + call % 6; later < 40; later += 6) {  // a sample
      const auto machine = machine_with_old_image();
      const auto stopping = storage::make_faulty_env(*machine->env, 1);
      const auto failing = storage::make_faulty_env(*stopping, 1);
      failing->arm({FaultKind::kIoError, call, false});
      stopping->arm({FaultKind::kStop, call - 1 + later, false});
      static_cast<void>(builder::build(*failing, options_of(*machine)));
      const bool fired = stopping->fired() != 0;
      const auto loss =
          later % 4 < 2 ? storage::CrashLoss::kKeepAll : storage::CrashLoss::kDropUnsynced;
      machine->env->crash(loss, call);
      // If the call that gave the old image a second name failed, the build goes on without hard
      // links.
      if (machine->env->status("/out/i") || !has_hidden_image(*machine->env)) {
        expect_one_tree(*machine->env, call);
      }
      if (!fired || HasFailure()) break;
    }
    if (HasFailure()) return;
  }
}

// The image may not be there with a volume missing or out of place, nor before its volumes.
TEST_P(VolumesCrashTest, APowerCutInAFirstBuildLeavesAnImageOrNone) {
  for (std::uint64_t call = 1;; ++call) {
    Machine machine;
    for (const std::string path : {"/out", "/v"}) {
      ASSERT_TRUE(machine.env->make_directory(path, 0755));
    }
    for (int i = 0; i < kFiles; ++i) machine.tree.file(std::to_string(i), content_of(i, "new"));
    ASSERT_TRUE(machine.env->sync_directory("/"));
    const auto faulty = storage::make_faulty_env(*machine.env, 1);
    HookEnv env(*faulty, refuse_links());
    faulty->arm({FaultKind::kStop, call, false});
    const bool built = builder::build(env, options_of(machine)).has_value();
    const bool fired = faulty->fired() != 0;
    machine.env->crash(storage::CrashLoss::kDropUnsynced, call);
    const bool is_there = machine.env->status("/out/i").has_value();
    EXPECT_TRUE(is_there || !built) << call;
    if (is_there) expect_one_tree(*machine.env, call);
    if (!fired || HasFatalFailure()) break;
    ASSERT_LT(call, 10000);
  }
}

}  // namespace
}  // namespace dgfs::test
