// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs salvage: arguments, exit codes, output, and files that it does not touch.
#include "storage/testing/faulty_env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/refusing_env.h"
#include "tests/tools/tree_fixture.h"
#include "tools/tool.h"

namespace dgfs::test {
namespace {

class SalvageCommandTest : public TreeFixture {
 protected:
  void SetUp() override {
    TreeFixture::SetUp();
    index_ = image_ + ".idx";
    out_ = dir_ / "out";
  }
  void damage(const std::string& path, std::uint64_t at, std::size_t length = 100) {
    const auto file = env_->open(path, {storage::OpenOptions::Mode::kReadWrite, false});
    ASSERT_TRUE(file && file.value()->write_at(at, Buffer(length, 0xA5)));
  }
  /// Damages one of several frames of the large file.
  void damage_large_file() {
    const auto image = value_of(reader::Image::open(*env_, image_));
    const auto node = value_of(image->lookup("sub/deep/large.bin"));
    damage(image_, node.data.offset_bytes + 50);
  }
  std::string difference() {
    return shell("diff -r --no-dereference . '" + out_ + "' | grep -v fifo");
  }

  std::string index_;
  std::string out_;
};

TEST_F(SalvageCommandTest, SavesASoundImage) {
  const Outcome outcome = dgfs("salvage", {out_});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with("; nothing is lost\n")) << outcome.out;
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(dgfs("salvage", {"-q", dir_ / "again"}).out, "");
}

TEST_F(SalvageCommandTest, SavesWhatNeitherCopyCanOpen) {
  // Damages the superblocks of both copies, and the image's header pages.
  damage(index_, 0);
  const auto size = env_->status(image_).value().size_bytes;
  const auto index_size = env_->status(index_).value().size_bytes;
  damage(image_, size - 4096 - index_size);
  damage(image_, 0);
  damage(image_, size - 4096);
  EXPECT_EQ(dgfs("info").code, 1);
  const Outcome outcome = dgfs("salvage", {out_});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(difference(), "");
}

TEST_F(SalvageCommandTest, ListsWhatIsLost) {
  damage_large_file();
  const Outcome outcome = dgfs("salvage", {out_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(
      outcome.out.starts_with("lost: sub/deep/large.bin: bytes 0-65535: checksum mismatch ("))
      << outcome.out;
  EXPECT_NE(outcome.out.find("; lost: 1 entry\n"), std::string::npos) << outcome.out;
  EXPECT_NE(difference().find("large.bin"), std::string::npos);
  const Outcome json = dgfs("salvage", {"--json", "--list"});
  EXPECT_EQ(json.code, 1);
  EXPECT_NE(json.out.find("{\"lost_range\":\"sub/deep/large.bin\",\"begin\":0,\"end\":65536,"),
            std::string::npos)
      << json.out;
  EXPECT_NE(json.out.find("{\"kept\":\"hello.txt\"}\n"), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("{\"complete\":false,"), std::string::npos) << json.out;
}

TEST_F(SalvageCommandTest, WritesFilesInPart) {
  damage_large_file();
  const Outcome outcome = dgfs("salvage", {"--partial", out_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find(", 1 file in part"), std::string::npos) << outcome.out;
  EXPECT_EQ(shell("cmp -i 65536 sub/deep/large.bin '" + out_ + "/sub/deep/large.bin' && echo same"),
            "same\n");
  EXPECT_EQ(shell("head -c 65536 '" + out_ + "/sub/deep/large.bin' | tr -d '\\0' | wc -c"), "0\n");
}

TEST_F(SalvageCommandTest, OverwritesNothing) {
  ASSERT_TRUE(env_->make_directory(out_, 0755));
  write_file(*env_, out_ + "/hello.txt", as_bytes("mine"));
  const Outcome outcome = dgfs("salvage", {out_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("lost: hello.txt: "), std::string::npos) << outcome.out;
  EXPECT_EQ(shell("cat '" + out_ + "/hello.txt'"), "mine");
  EXPECT_EQ(shell("cmp sub/deep/large.bin '" + out_ + "/sub/deep/large.bin' && echo same"),
            "same\n");
}

TEST_F(SalvageCommandTest, AFullDiskIsToldFileByFile) {
  const auto faulty = storage::make_faulty_env(*env_, 1);
  faulty->only_for([&](const std::string& path) { return path.starts_with(out_ + "/"); });
  faulty->arm({.kind = storage::FaultKind::kNoSpace, .at_call = 1, .sticky = true});
  ToolRun tool(*faulty);
  EXPECT_EQ(tool.run({"salvage", "-j", "1", image_, out_}), 1);
  EXPECT_GT(faulty->fired(), 0U);
  EXPECT_NE(tool.out().find("lost: hello.txt: "), std::string::npos) << tool.out();
  EXPECT_EQ(shell("find '" + out_ + "' -type f"), "");
}

// These files are not lost: their contents are there.
TEST_F(SalvageCommandTest, TellsAttributesFromFiles) {
  RefusingEnv env(*env_, [](const std::string& path, std::string_view attribute) -> Status {
    if (attribute != "owner") return ok();
    return Error(ErrorKind::kIo, 1, "cannot set owner: Invalid argument").in_file(path);
  });
  ToolRun tool(env);
  EXPECT_EQ(tool.run({"salvage", "--same-owner", image_, out_}), 1);
  EXPECT_NE(tool.out().find("lost attribute: hello.txt: cannot set owner: Invalid argument "
                            "(--no-same-owner leaves owners out)\n"),
            std::string::npos)
      << tool.out();
  EXPECT_EQ(tool.out().find("lost: hello.txt"), std::string::npos);
  EXPECT_TRUE(tool.out().ends_with(" attributes\n")) << tool.out();
  EXPECT_EQ(difference(), "");
  ToolRun json(env);
  EXPECT_EQ(json.run({"salvage", "--same-owner", "--json", image_, dir_ / "again"}), 1);
  EXPECT_NE(
      json.out().find("{\"lost_attribute\":\"hello.txt\",\"attribute\":\"owner\",\"reason\":"),
      std::string::npos)
      << json.out();
  EXPECT_NE(json.out().find("\"lost_entries\":0,"), std::string::npos) << json.out();
}

// Not only one line for the directory: each file below is lost.
TEST_F(SalvageCommandTest, CountsWhatIsBelowADirectoryThatCannotBeMade) {
  ASSERT_TRUE(env_->make_directory(out_, 0755));
  write_file(*env_, out_ + "/sub", as_bytes("mine"));
  const auto below = sorted_lines(shell("find sub | sed 's/^/lost: /'")).size();
  const Outcome outcome = dgfs("salvage", {out_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("; lost: " + std::to_string(below) + " entries\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("lost: sub/deep/large.bin: its directory 'sub' could not be made\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(SalvageCommandTest, FindsVolumesInFolders) {
  // More bytes than a group has, so that some go to the further volume.
  ASSERT_EQ(shell("head -c 6000000 /dev/urandom > big; head -c 6000000 /dev/urandom > big2"), "");
  const auto disk = dir_ / "disk";
  ASSERT_TRUE(env_->make_directory(disk, 0755));
  const auto other = dir_ / "other.dgfs";
  ASSERT_EQ(run({"build", "-q", "--volume", disk + "/v1", tree_, other}).code, 0);
  for (const bool superblock : {false, true}) {
    if (superblock) {
      damage(other + ".idx", 0);
      damage(other, 0);
      damage(other, env_->status(other).value().size_bytes - 4096);
    }
    const auto lacking = run({"salvage", "--list", other});
    EXPECT_EQ(lacking.code, 1);
    EXPECT_NE(lacking.out.find("lost: big"), std::string::npos) << lacking.out;
    const Outcome outcome = run({"salvage", "--volume", disk, other, out_});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(difference(), "");
    ASSERT_EQ(shell("rm -r '" + out_ + "'"), "");
  }
}

TEST_F(SalvageCommandTest, RefusesWrongUse) {
  EXPECT_EQ(dgfs("salvage").code, 2);
  EXPECT_EQ(dgfs("salvage", {"--list", out_}).code, 2);
  EXPECT_EQ(run({"salvage", dir_ / "none", out_}).code, 1);
  write_file(*env_, dir_ / "text", Buffer(20'000, 'x'));
  const Outcome outcome = run({"salvage", dir_ / "text", out_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("no page of an index is left"), std::string::npos) << outcome.err;
  EXPECT_FALSE(env_->status(out_));
}

TEST_F(SalvageCommandTest, EndsWhenInterrupted) {
  ToolRun tool(*env_);
  tool.stop = true;
  EXPECT_EQ(tool.run({"salvage", image_, out_}), tools::kExitInterrupted);
}

}  // namespace
}  // namespace dgfs::test
