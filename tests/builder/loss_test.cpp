// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Inputs that change, vanish or cannot be read: the build fails and names them, or, with
// keep_going, leaves out exactly them.
#include <gtest/gtest.h>

#include <atomic>

#include "builder/build.h"
#include "storage/memory/env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CallKind;

// Parameter: whether contents are compressed.
class BuildLossTest : public testing::TestWithParam<bool> {
 protected:
  BuildLossTest() {
    tree_.directory("d");
    tree_.file("d/first", "first");
    tree_.file("d/victim", content_of(200000, 1));
    tree_.file("last", "last");
    tree_.link("last", "zlink");
    tree_.file("zz", "zz");
    tree_.link("zz", "zzlink");
  }

  static std::string content_of(std::size_t size_bytes, std::uint64_t seed) {
    if (!GetParam()) return noise(size_bytes, seed);
    std::string text;
    while (text.size() < size_bytes) text += std::to_string(seed++ * 7919) + " words\n";
    return text.substr(0, size_bytes);
  }
  builder::BuildOptions build_options() {
    auto options = options_for(tree_, "/i");
    options.digest = format::DigestAlgorithm::kSha256;
    if (GetParam()) options.compression = builder::Compression{3};
    return options;
  }

  /// Builds with `hook` before each call; `lost` are the paths that the image must not contain.
  void expect_loss(const HookEnv::Hook& hook, ErrorKind kind, std::vector<std::string> lost) {
    HookEnv env(*env_, hook);
    auto options = build_options();
    options.keep_going = keep_going_;
    const auto report = builder::build(env, options);
    if (!keep_going_) {
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().kind(), kind) << report.error().message();
      EXPECT_NE(report.error().message().find(lost.front()), std::string::npos)
          << report.error().message();
      EXPECT_FALSE(env_->status("/i"));
      EXPECT_FALSE(env_->status("/i.idx"));
      return;
    }
    ASSERT_TRUE(report) << report.error().message();
    expect_left_out(report.value(), lost);
  }

  void expect_left_out(const builder::BuildReport& report, const std::vector<std::string>& lost) {
    EXPECT_EQ(report.loss_count, lost.size());
    auto image = dump_image(*env_, "/i");
    ASSERT_TRUE(image) << image.error().message();
    EXPECT_NE(image.value().superblock.compat & format::feature::kCompatIncomplete, 0);
    for (std::size_t i = 0; i < lost.size(); ++i) {
      EXPECT_FALSE(image.value().nodes.contains(lost[i])) << lost[i];
      EXPECT_EQ(report.losses.at(i).path, lost[i]);
    }
    for (const auto& [path, content] : contents_) {
      if (std::find(lost.begin(), lost.end(), path) != lost.end()) continue;
      if (path.starts_with("d/") && !image.value().nodes.contains("d")) continue;
      ASSERT_TRUE(image.value().nodes.contains(path)) << path;
      EXPECT_EQ(image.value().nodes.at(path).content, content) << path;
    }
  }

  void expect_both(const std::function<HookEnv::Hook()>& make_hook, ErrorKind kind,
                   const std::vector<std::string>& lost) {
    // The hook may damage the tree and repairs it when called again, so keep_going comes second.
    for (const bool keep_going : {false, true}) {
      keep_going_ = keep_going;
      expect_loss(make_hook(), kind, lost);
    }
  }

  bool keep_going_ = false;
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
  std::map<std::string, std::string> contents_ = {
      {"d/first", "first"}, {"d/victim", content_of(200000, 1)},
      {"last", "last"},     {"zlink", "last"},
      {"zz", "zz"},         {"zzlink", "zz"}};
};

INSTANTIATE_TEST_SUITE_P(Compressed, BuildLossTest, testing::Bool());

HookEnv::Hook fail_at(CallKind kind, const std::string& path, ErrorKind error) {
  return [=](CallKind call, const std::string& at) -> Status {
    if (call == kind && at == path) return Error(error, 1, "hooked").in_file(path);
    return ok();
  };
}

TEST_P(BuildLossTest, AFileThatCannotBeOpened) {
  expect_both([] { return fail_at(CallKind::kOpen, "/src/d/victim", ErrorKind::kPermission); },
              ErrorKind::kPermission, {"d/victim"});
}

TEST_P(BuildLossTest, AFileThatCannotBeRead) {
  expect_both([] { return fail_at(CallKind::kRead, "/src/d/victim", ErrorKind::kIo); },
              ErrorKind::kIo, {"d/victim"});
}

TEST_P(BuildLossTest, AllNamesOfAFileThatCannotBeRead) {
  expect_both([] { return fail_at(CallKind::kOpen, "/src/last", ErrorKind::kPermission); },
              ErrorKind::kPermission, {"last", "zlink"});
}

// Rewrites its first byte before each read, so that no two readings agree.
TEST_P(BuildLossTest, AFileThatIsRewrittenWhenItIsRead) {
  expect_both(
      [this] {
        return [this, next = std::make_shared<std::atomic<int>>(0)](
                   CallKind kind, const std::string& path) -> Status {
          if (kind != CallKind::kRead || path != "/src/d/victim") return ok();
          DGFS_TRY(file, env_->open(path, {storage::OpenOptions::Mode::kReadWrite}));
          const Buffer byte{static_cast<std::uint8_t>(++*next)};
          auto now = env_->now();
          ++now.seconds;
          env_->set_now(now);  // or the file would keep its time
          return file->write_at(0, byte);
        };
      },
      ErrorKind::kChanged, {"d/victim"});
}

TEST_P(BuildLossTest, AFileThatVanishes) {
  contents_.erase("d/victim");
  expect_both(
      [this] {
        if (!env_->status("/src/d/victim")) tree_.file("d/victim", "again");
        return [this](CallKind kind, const std::string& path) -> Status {
          if (kind != CallKind::kOpen || path != "/src/d/victim") return ok();
          return env_->remove(path);
        };
      },
      ErrorKind::kNotFound, {"d/victim"});
}

TEST_P(BuildLossTest, ADirectoryThatCannotBeListed) {
  expect_both(
      [] {
        return [](CallKind, const std::string& path) -> Status {
          if (path != "/src/d") return ok();
          // The scan asks for its status once, through its parent and by the same path; that call
          // succeeds.
          static thread_local int calls = 0;
          if (++calls % 2 == 1) return ok();
          return Error(ErrorKind::kPermission, 1, "hooked").in_file(path);
        };
      },
      ErrorKind::kPermission, {"d"});
}

TEST_P(BuildLossTest, ALargeFileThatFailsInItsLastPiece) {
  tree_.file("large", content_of(3 << 20, 9));
  auto options = build_options();
  options.memory_bytes = 1 << 20;  // pieces of a few frames
  options.keep_going = true;
  std::atomic<int> reads = 0;
  HookEnv env(*env_, [&](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kRead || path != "/src/large" || ++reads < 8) return ok();
    return Error(ErrorKind::kIo, 1, "hooked").in_file(path);
  });
  const auto report = builder::build(env, options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_GE(reads, 8);
  expect_left_out(report.value(), {"large"});
  // The image is as if the file had never been there, sizes included.
  const auto uuid = report.value().superblock.uuid;
  ASSERT_TRUE(env_->remove("/src/large"));
  options.keep_going = false;
  EXPECT_EQ(builder::build(*env_, options).value().superblock.stored_bytes,
            report.value().superblock.stored_bytes);
  EXPECT_NE(uuid, format::Uuid{});
}

TEST_P(BuildLossTest, TheStopFlagEndsABuildAtAnyMoment) {
  std::uint64_t calls = 0;
  for (std::uint64_t stop_at = 1;; stop_at += 7) {
    std::atomic<bool> stop = false;
    std::atomic<std::uint64_t> call = 0;
    HookEnv env(*env_, [&](CallKind, const std::string&) -> Status {
      if (++call == stop_at) stop = true;
      return ok();
    });
    auto options = build_options();
    options.stop = &stop;
    options.keep_going = true;  // an interruption is no loss
    const auto report = builder::build(env, options);
    calls = call;
    if (report) break;
    EXPECT_EQ(report.error().kind(), ErrorKind::kInterrupted) << report.error().message();
    EXPECT_FALSE(env_->status("/i"));
    EXPECT_FALSE(env_->status("/i.idx"));
  }
  EXPECT_GT(calls, 20);
}

}  // namespace
}  // namespace dgfs::test
