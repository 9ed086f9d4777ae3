// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Commands on files with large holes take only as long as their data needs.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "storage/memory/env.h"
#include "storage/wrapped.h"
#include "tests/tools/tree_fixture.h"
#include "tools/cli/hole_notice.h"
#include "tools/cli/session.h"

namespace dgfs::test {
namespace {

constexpr std::uint64_t kTerabyte = std::uint64_t{1} << 40;
constexpr std::uint64_t kPage = 4096;

/// Fails once more bytes of the source are read than it has data.
class ReadBudget final : public storage::CallObserver {
 public:
  Result<std::size_t> read(const storage::File& file, std::uint64_t offset_bytes,
                           std::span<const MutableBytes> outs, const std::string& path) override {
    if (path.starts_with("/src/")) {
      for (const auto& out : outs) read_bytes += out.size();
      if (read_bytes > kBudgetBytes) return Error(ErrorKind::kIo, 1, "reads a hole");
    }
    return file.read_at(offset_bytes, outs);
  }

  // The builder asks this right before it reads the contents of a file.
  Result<storage::DataSegment> next_data(const storage::File& file, std::uint64_t offset_bytes,
                                         const std::string& path) override {
    if (stop_in_time != nullptr && path.starts_with("/src/")) *stop_in_time = true;
    return file.next_data(offset_bytes);
  }

  std::uint64_t read_bytes = 0;
  std::atomic<bool>* stop_in_time = nullptr;

 private:
  static constexpr std::uint64_t kBudgetBytes = std::uint64_t{64} << 20;
};

class BudgetEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  using WrappedEnv::WrappedEnv;
  [[nodiscard]] ReadBudget& budget() { return observer_; }

 protected:
  [[nodiscard]] storage::CallObserver& observer() const override { return observer_; }

 private:
  mutable ReadBudget observer_;
};

class HoleCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->make_directory("/src", 0755));
    write("ends", kTerabyte, {0, kTerabyte - 1});
    write("hole", kTerabyte, {});
    write("middle", kTerabyte, {kTerabyte / 2});
    ASSERT_EQ(run({"build", "-q", "/src", "/a.dgfs"}).code, 0);
  }

  /// A file with a byte of data at each of the offsets.
  void write(const std::string& name, std::uint64_t size_bytes,
             const std::vector<std::uint64_t>& offsets, std::string_view byte = "x") {
    const auto root = memory_->open_directory("/src");
    ASSERT_TRUE(root);
    static_cast<void>(root.value()->remove(name));
    const auto file = root.value()->create_file(name, 0644);
    ASSERT_TRUE(file);
    for (const auto offset : offsets) {
      ASSERT_TRUE(file.value()->write_at(offset, as_bytes(byte)));
    }
    ASSERT_TRUE(file.value()->truncate(size_bytes));
  }
  Outcome run(const std::vector<std::string>& arguments) {
    env_.budget().read_bytes = 0;
    ToolRun tool(env_);
    const int code = tool.run(arguments);
    return {code, tool.out(), tool.err()};
  }

  /// Builds with digests until the first contents are about to be read.
  Outcome begin_digests(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"build", "--digest", "sha256"});
    ToolRun tool(env_);
    env_.budget().stop_in_time = &tool.stop;
    const int code = tool.run(arguments);
    env_.budget().stop_in_time = nullptr;
    return {code, tool.out(), tool.err()};
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  BudgetEnv env_{*memory_};
};

TEST_F(HoleCommandTest, DiffReadsDataAlone) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"diff", "/a.dgfs", "/src"}, {"diff", "/src", "/a.dgfs"}}) {
    const Outcome same = run(words);
    EXPECT_EQ(same.code, 0) << same.out << same.err;
    EXPECT_EQ(env_.budget().read_bytes, 3 * kPage);
  }
}

TEST_F(HoleCommandTest, DiffOfAnImageWithItself) {
  const Outcome same = run({"diff", "/a.dgfs", "/a.dgfs"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
}

TEST_F(HoleCommandTest, DiffFindsWhatAHoleLacks) {
  write("hole", kTerabyte, {kTerabyte / 4}, std::string_view("\0", 1));
  write("middle", kTerabyte, {});
  const Outcome found = run({"diff", "--no-times", "/a.dgfs", "/src"});
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_EQ(found.out, "middle: contents differ from byte " + std::to_string(kTerabyte / 2) + "\n");
  ASSERT_EQ(run({"build", "-q", "/src", "/b.dgfs"}).code, 0);
  EXPECT_EQ(run({"diff", "--no-times", "/a.dgfs", "/b.dgfs"}).out, found.out);
  EXPECT_EQ(run({"diff", "--no-times", "/b.dgfs", "/a.dgfs"}).out, found.out);
}

TEST_F(HoleCommandTest, DigestsOfLongHolesAreAnnounced) {
  const Outcome told = begin_digests({"/src", "/b.dgfs"});
  EXPECT_EQ(told.code, 130);
  EXPECT_TRUE(told.err.starts_with(
      "dgfs: build: the digests need up to 3.30 TB of holes in 3 files hashed as zeros; "
      "--digest none makes no digests\n"))
      << told.err;
  const Outcome quiet = begin_digests({"-q", "/src", "/b.dgfs"});
  EXPECT_EQ(quiet.code, 130);
  EXPECT_EQ(quiet.err.find("holes"), std::string::npos) << quiet.err;
  const Outcome short_ones = begin_digests({"--exclude", "*", "/src", "/b.dgfs"});
  EXPECT_EQ(short_ones.err.find("holes"), std::string::npos) << short_ones.err;
}

// With a running clock the announcement tells how long it takes: two seconds for what it measures.
TEST_F(HoleCommandTest, AnnouncementsTellTheTime) {
  class SlowEnv final : public storage::WrappedEnv<storage::Env> {
   public:
    using WrappedEnv::WrappedEnv;
    std::uint64_t monotonic_ns() const override { return now_ns_ += 2'000'000'000; }
    unsigned processor_count() const override { return 4; }

   protected:
    [[nodiscard]] storage::CallObserver& observer() const override { return observer_; }

   private:
    mutable std::uint64_t now_ns_ = 0;
    mutable storage::CallObserver observer_;
  };
  SlowEnv env(*memory_);
  const ToolRun tool(env);
  const tools::Session session(tool.io(), "build");
  const auto gib = std::uint64_t{1} << 30;
  tools::tell_of_holes(session, {2, 40 * gib, 8 * gib, false}, 0, "do not");
  tools::tell_of_holes(session, {2, 40 * gib, 20 * gib, false}, 0, "do not");
  tools::tell_of_holes(session, {2, 40 * gib, 8 * gib, false}, 1, "do not");
  tools::tell_of_holes(session, {2, 15 * gib, 8 * gib, false}, 0, "do not");
  tool.io().err.flush();
  const std::string what =
      "dgfs: build: the digests need 42.9 GB of holes in 2 files hashed as zeros, which "
      "takes about ";
  EXPECT_EQ(tool.err(), what + "42 min 41 s; do not\n" + what + "1 h 25 min; do not\n" + what +
                            "2 h 50 min; do not\n");
}

}  // namespace
}  // namespace dgfs::test
