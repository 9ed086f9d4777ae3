// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs build --verify, on a device that stores other bytes than it was given.
#include "storage/file.h"
#include "storage/wrapped.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

/// Passes everything on, but flips a byte in each read of one file that covers its place.
class LyingDevice final : public storage::CallObserver {
 public:
  LyingDevice(std::string path, std::uint64_t offset_bytes)
      : path_(std::move(path)), offset_bytes_(offset_bytes) {}

  Result<std::size_t> read(const storage::File& file, std::uint64_t offset_bytes,
                           std::span<const MutableBytes> outs, const std::string& path) override {
    DGFS_TRY(count, file.read_at(offset_bytes, outs));
    std::uint64_t at = offset_bytes;
    for (const auto out : outs) {
      const bool inside = offset_bytes_ >= at && offset_bytes_ < at + out.size();
      if (path == path_ && inside) out[offset_bytes_ - at] ^= 0x10;
      at += out.size();
    }
    return count;
  }

 private:
  std::string path_;
  std::uint64_t offset_bytes_;
};

/// The operating system, with a LyingDevice.
class LyingEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  LyingEnv(storage::Env& base, std::string path, std::uint64_t offset_bytes)
      : WrappedEnv(base), device_(std::move(path), offset_bytes) {}

 private:
  [[nodiscard]] storage::CallObserver& observer() const override { return device_; }
  mutable LyingDevice device_;
};

class BuildVerifyTest : public TreeFixture {
 protected:
  Outcome build(storage::Env& env, std::vector<std::string> options) {
    options.insert(options.begin(), {"build", "--verify"});
    options.push_back(tree_);
    options.push_back(other_);
    ToolRun tool(env);
    const int code = tool.run(options);
    return {code, tool.out(), tool.err()};
  }
  std::string other_ = dir_ / "other.dgfs";
};

TEST_F(BuildVerifyTest, SaysThatAllIsWell) {
  const Outcome outcome = build(*env_, {});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with(", 2 index copies\n")) << outcome.out;
  EXPECT_NE(outcome.out.find("\nverified: no damage in 12 files, "), std::string::npos)
      << outcome.out;
  EXPECT_EQ(build(*env_, {"--quiet"}).out, "");
  const Outcome json = build(*env_, {"--json"});
  EXPECT_NE(json.out.find("\"sound\":true,\"damaged_files\":0,"), std::string::npos) << json.out;
}

TEST_F(BuildVerifyTest, ReadsTheIndexWhereverItIs) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--no-index-file"}, {"--no-index-copy"}}) {
    const Outcome outcome = build(*env_, options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.ends_with(", 1 index copy\n")) << outcome.out;
  }
  const Outcome outcome = build(*env_, {"--index", dir_ / "elsewhere.idx"});
  EXPECT_TRUE(outcome.out.ends_with(", 2 index copies\n")) << outcome.out;
}

TEST_F(BuildVerifyTest, NamesDamagedContents) {
  LyingEnv env(*env_, other_, 100'000);  // in the one large file
  const Outcome outcome = build(env, {});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("dgfs: build: damaged: sub/deep/large.bin: contents, bytes "),
            std::string::npos)
      << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with(
      "/other.dgfs: the image is in its place, but damaged: 1 of 12 files damaged\n"))
      << outcome.err;
  EXPECT_TRUE(env_->status(other_));
  EXPECT_NE(build(env, {"--json"}).out.find("\"sound\":false,\"damaged_files\":1,"),
            std::string::npos);
}

TEST_F(BuildVerifyTest, NamesADamagedIndex) {
  LyingEnv env(*env_, other_ + ".idx", 4096 + 100);
  const Outcome outcome = build(env, {});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("dgfs: build: damaged: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("/other.dgfs.idx: pages, offset 4096: "), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("index damaged in 1 place\n"), std::string::npos) << outcome.err;
}

TEST_F(BuildVerifyTest, SaysSoWhereTheImageCannotBeOpened) {
  LyingEnv env(*env_, other_ + ".idx", 3);  // no magic number, so no index
  const Outcome outcome = build(env, {"--no-index-copy"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.ends_with("/other.dgfs is in its place, but cannot be opened\n"))
      << outcome.err;
}

}  // namespace
}  // namespace dgfs::test
