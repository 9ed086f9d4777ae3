// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs build --volume: its output, its refusals, and the files that are left after a failure.
#include "tests/support/hook_env.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class BuildVolumesTest : public TreeFixture {
 protected:
  void SetUp() override {
    TreeFixture::SetUp();
    ASSERT_TRUE(env_->make_directory(disk_, 0755));
    // More bytes than a group has, so that a file goes to the second volume.
    ASSERT_EQ(shell("head -c 6000000 /dev/urandom > big; head -c 6000000 /dev/urandom > big2"), "");
  }
  Outcome build(const std::vector<std::string>& options, storage::Env* env = nullptr) {
    std::vector<std::string> arguments = {"build"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {tree_, other_});
    ToolRun tool(env != nullptr ? *env : *env_);
    const int code = tool.run(arguments);
    return {code, tool.out(), tool.err()};
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& path) {
    auto names = env_->open_directory(path).value()->list().value();
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string disk_ = dir_ / "disk";
  std::string volume_ = disk_ + "/v1";
  std::string other_ = dir_ / "other.dgfs";
};

TEST_F(BuildVolumesTest, SpreadsAndTells) {
  const Outcome outcome = build({"--verify", "--volume", volume_, "--volume", disk_ + "/v2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text :
       {"/disk/v1 ", "   volume 1\n", "/disk/v2 ", "   volume 2\n", "verified: "}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << " is not in\n" << outcome.out;
  }
  EXPECT_EQ(names_in(disk_), (std::vector<std::string>{"v1", "v2"}));
  const std::vector<std::string> volumes = {"--volume", volume_, "--volume", disk_ + "/v2"};
  auto arguments = volumes;
  arguments.insert(arguments.begin(), "diff");
  arguments.insert(arguments.end(), {other_, tree_});
  const Outcome same = run(arguments);
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  const Outcome lacking = run({"cat", other_, "big", "big2"});
  EXPECT_EQ(lacking.code, 1);
  EXPECT_NE(lacking.err.find("volume 1 (uuid "), std::string::npos) << lacking.err;
}

TEST_F(BuildVolumesTest, SaysThatATreeIsTooSmallToBeSpread) {
  ASSERT_EQ(shell("rm big big2 && rm -r sub"), "");
  const Outcome outcome = build({"--volume", volume_, "--volume", disk_ + "/v2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("   volume 2: empty, the tree is too small to be spread\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(BuildVolumesTest, PrintsJson) {
  const Outcome outcome = build({"--json", "--volume", volume_});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto bytes = env_->status(volume_).value().size_bytes;
  EXPECT_GT(bytes, 6000000U);
  const std::string expected =
      "\"volumes\":[{\"path\":\"" + volume_ + "\",\"bytes\":" + std::to_string(bytes) + "}]";
  EXPECT_NE(outcome.out.find(expected), std::string::npos) << outcome.out;
  EXPECT_NE(build({"--json"}).out.find("\"volumes\":[]"), std::string::npos);
}

TEST_F(BuildVolumesTest, RefusesNamesThatAreTaken) {
  for (const auto& name : {other_, other_ + ".idx", disk_ + "/../other.dgfs"}) {
    const Outcome outcome = build({"--volume", name});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, "dgfs: build: " + name +
                               ": image, index and volumes need different names; nothing was "
                               "written\n");
  }
  EXPECT_EQ(build({"--volume", volume_, "--volume", volume_}).code, 1);
  EXPECT_EQ(build({"--volume", disk_}).code, 1);
  EXPECT_EQ(build({"--volume", "/dev/null"}).code, 1);
  const Outcome missing = build({"--volume", dir_ / "nowhere/v"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("nowhere"), std::string::npos) << missing.err;
  EXPECT_FALSE(env_->status(other_));
  EXPECT_TRUE(names_in(disk_).empty());
  // The image of the fixture is volume 0 of another image.
  const Outcome theirs = build({"--volume", image_});
  EXPECT_EQ(theirs.code, 1);
  EXPECT_NE(theirs.err.find("exists and is a volume of another image, uuid "), std::string::npos)
      << theirs.err;
  EXPECT_EQ(dgfs("verify").code, 0);
}

TEST_F(BuildVolumesTest, NamesAFullDisk) {
  std::uint64_t writes = 0;
  HookEnv env(*env_, [&](storage::CallKind kind, const std::string& path) -> Status {
    const bool is_there = kind == storage::CallKind::kWrite && path.starts_with(disk_ + "/");
    if (!is_there || ++writes < 2) return ok();
    return Error(ErrorKind::kNoSpace, 9101, "no space left on device");
  });
  const Outcome outcome = build({"--volume", volume_}, &env);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "dgfs: build: " + volume_ + ": no space left on device; nothing was written\n");
  EXPECT_FALSE(env_->status(other_));
  EXPECT_TRUE(names_in(disk_).empty());
}

TEST_F(BuildVolumesTest, LeavesNothingWhenInterrupted) {
  ToolRun tool(*env_);
  tool.stop = true;
  EXPECT_EQ(tool.run({"build", "--volume", volume_, tree_, other_}), tools::kExitInterrupted);
  EXPECT_FALSE(env_->status(other_));
  EXPECT_TRUE(names_in(disk_).empty());
}

}  // namespace
}  // namespace dgfs::test
