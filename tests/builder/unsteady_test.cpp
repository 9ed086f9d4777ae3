// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sources that change while they are packed: each file in the image is a state of the source, or
// the beginning of one.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "builder/build.h"
#include "storage/memory/env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CallKind;

struct Kind {
  const char* name;
  std::size_t bytes;  ///< of the file that changes
  bool compressed;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class UnsteadySource : public testing::TestWithParam<Kind> {
 protected:
  UnsteadySource() {
    tree_.directory("d");
    tree_.file("d/before", "before");
    tree_.file("d/log", content_);
    tree_.file("last", "last");
  }

  static std::string words(std::size_t bytes) {
    std::string text;
    for (std::uint64_t i = 1; text.size() < bytes; ++i)
      text += std::to_string(i * 7919) + " words\n";
    return text.substr(0, bytes);
  }
  /// Several threads read a large file.
  Status append(std::string_view text) {
    const std::lock_guard lock(mutex_);
    DGFS_TRY(file, env_->open("/src/d/log", {storage::OpenOptions::Mode::kReadWrite}));
    DGFS_TRY(size, file->size());
    grown_ += text;
    return file->write_at(size, as_bytes(text));
  }
  Result<builder::BuildReport> build(const HookEnv::Hook& hook, bool keep_going) {
    HookEnv env(*env_, hook);
    auto options = options_for(tree_, "/i");
    options.digest = format::DigestAlgorithm::kSha256;
    options.memory_bytes = 4 << 20;
    options.jobs = 2;
    options.keep_going = keep_going;
    if (GetParam().compressed) options.compression = builder::Compression{3};
    return builder::build(env, options);
  }
  std::string packed_log() {
    auto image = dump_image(*env_, "/i");
    EXPECT_TRUE(image) << image.error().message();
    EXPECT_EQ(image.value().nodes.at("d/before").content, "before");
    EXPECT_EQ(image.value().nodes.at("last").content, "last");
    return image.value().nodes.at("d/log").content;
  }
  /// A hook that calls `change` before each of the first `count` calls of this kind on the log.
  template <class Change>
  HookEnv::Hook first(CallKind kind, int count, Change change) {
    return [=, left = std::make_shared<std::atomic<int>>(count)](
               CallKind call, const std::string& path) -> Status {
      if (call != kind || path != "/src/d/log" || (*left)-- <= 0) return ok();
      return change();
    };
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
  std::string content_ = words(GetParam().bytes);
  std::mutex mutex_;
  std::string grown_ = content_;
};

INSTANTIATE_TEST_SUITE_P(Sizes, UnsteadySource,
                         testing::Values(Kind{"Small", 300, false}, Kind{"SmallPacked", 300, true},
                                         Kind{"Large", 5 << 20, false},
                                         Kind{"LargePacked", 5 << 20, true}));

TEST_P(UnsteadySource, AFileThatGrewSinceTheScanIsPackedWhole) {
  const auto report =
      build(first(CallKind::kOpen, 1, [this] { return append(words(70'000)); }), false);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(packed_log(), grown_);
}

TEST_P(UnsteadySource, AFileThatShrankSinceTheScanIsPackedAsItIs) {
  const auto report = build(
      first(CallKind::kOpen, 1,
            [this]() -> Status {
              DGFS_TRY(file, env_->open("/src/d/log", {storage::OpenOptions::Mode::kReadWrite}));
              return file->truncate(0);
            }),
      false);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(packed_log(), "");
}

TEST_P(UnsteadySource, AFileThatIsReplacedSinceTheScanIsPackedAsItIs) {
  const auto replace = [this]() -> Status {
    DGFS_CHECK(env_->remove("/src/d/log"));
    tree_.file("d/log", "another file");
    return ok();
  };
  const auto report = build(first(CallKind::kOpen, 1, replace), false);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(packed_log(), "another file");
}

TEST_P(UnsteadySource, AFileThatChangesOnceIsReadAgain) {
  const auto report =
      build(first(CallKind::kRead, 1, [this] { return append("one line"); }), false);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(packed_log(), grown_);
}

TEST_P(UnsteadySource, AFileThatGrowsForEverFailsTheBuild) {
  const auto report =
      build(first(CallKind::kRead, 1 << 30, [this] { return append("line\n"); }), false);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kChanged);
  EXPECT_FALSE(env_->status("/i"));
}

TEST_P(UnsteadySource, KeepGoingKeepsTheBeginningOfAFileThatGrowsForEver) {
  const auto report =
      build(first(CallKind::kRead, 1 << 30, [this] { return append("line\n"); }), true);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report.value().loss_count, 0U);
  ASSERT_EQ(report.value().part_loss_count, 1U);
  const auto& loss = report.value().losses.at(0);
  EXPECT_EQ(loss.path, "d/log");
  EXPECT_EQ(loss.part, builder::LostPart::kEnd);
  const auto packed = packed_log();
  EXPECT_GE(packed.size(), content_.size());
  EXPECT_TRUE(std::string_view(grown_).starts_with(packed));
  EXPECT_NE(loss.reason.find("its first " + std::to_string(packed.size()) + " bytes"),
            std::string::npos)
      << loss.reason;
  EXPECT_NE(report.value().superblock.compat & format::feature::kCompatIncomplete, 0);
}

// A link is made, which changes nothing but a time, before each read.
TEST_P(UnsteadySource, AttributesThatChangeForEverLoseNothing) {
  const auto touch = [this]() -> Status {
    const auto directory = env_->open_directory("/src/d").value();
    return directory->set_mode("log", 0600);
  };
  for (const bool keep_going : {false, true}) {
    const auto report = build(first(CallKind::kRead, 1 << 30, touch), keep_going);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report.value().loss_count + report.value().part_loss_count, 0U);
    EXPECT_EQ(packed_log(), content_);
  }
}

TEST_P(UnsteadySource, NoNameOfAnObjectGetsTheContentOfAnother) {
  tree_.link("d/log", "d/z");
  const auto replace = [this]() -> Status {
    DGFS_CHECK(env_->remove("/src/d/log"));
    tree_.file("d/log", "another file");
    return ok();
  };
  const auto report = build(first(CallKind::kOpen, 1, replace), false);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kChanged);
}

}  // namespace
}  // namespace dgfs::test
