// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs verify --fix-index.
#include <sys/stat.h>

#include "tests/support/hook_env.h"
#include "tests/support/image_assembler.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class FixIndexTest : public TreeFixture {
 protected:
  void SetUp() override {
    TreeFixture::SetUp();
    index_ = image_ + ".idx";
    sound_image_ = read_file(*env_, image_);
    sound_index_ = read_file(*env_, index_);
  }
  void damage(const std::string& path, std::uint64_t at) {
    const auto file = env_->open(path, {storage::OpenOptions::Mode::kReadWrite, false});
    ASSERT_TRUE(file && file.value()->write_at(at, Buffer(100, 0xA5)));
  }
  void damage_index() { damage(index_, 5000); }
  void damage_copy() { damage(image_, sound_image_.size() - sound_index_.size() - 4096 + 5000); }
  void expect_whole() {
    EXPECT_EQ(read_file(*env_, image_), sound_image_);
    EXPECT_EQ(read_file(*env_, index_), sound_index_);
  }

  std::string index_;
  Buffer sound_image_;
  Buffer sound_index_;
};

TEST_F(FixIndexTest, SaysNothingOfASoundIndex) {
  const Outcome outcome = dgfs("verify", {"--fix-index"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("no damage in 12 files, ")) << outcome.out;
  expect_whole();
}

TEST_F(FixIndexTest, RewritesTheIndexFile) {
  damage_index();
  ASSERT_EQ(::chmod(index_.c_str(), 0640), 0);
  const Outcome outcome = dgfs("verify", {"--fix-index"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("damaged: index: " + index_ + ": pages, offset 4096: "))
      << outcome.out;
  EXPECT_NE(outcome.out.find("\nmended: " + index_ + ": 1 damaged piece, rewritten\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\nno damage in 12 files, "), std::string::npos) << outcome.out;
  expect_whole();
  EXPECT_EQ(shell("stat -c %a '" + index_ + "'"), "640\n");
}

TEST_F(FixIndexTest, MendsTheCopyInTheImage) {
  damage_copy();
  const Outcome outcome = dgfs("verify", {"--fix-index", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("{\"mended\":\"" + image_ + "\",\"damaged_pieces\":1}\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("{\"sound\":true,"), std::string::npos) << outcome.out;
  expect_whole();
}

TEST_F(FixIndexTest, MakesALostIndexAnew) {
  ASSERT_TRUE(env_->remove(index_));
  const Outcome outcome = dgfs("verify", {"--fix-index"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("mended: " + index_ + ": written anew\n")) << outcome.out;
  expect_whole();
}

TEST_F(FixIndexTest, WritesTheIndexWhereItIsSaidToBe) {
  ASSERT_TRUE(env_->rename(index_, dir_ / "elsewhere"));
  damage(dir_ / "elsewhere", 5000);
  EXPECT_EQ(dgfs("verify", {"-q", "--fix-index", "--index", dir_ / "elsewhere"}).code, 0);
  EXPECT_EQ(read_file(*env_, dir_ / "elsewhere"), sound_index_);
  EXPECT_FALSE(env_->status(index_));
}

TEST_F(FixIndexTest, ChangesNothingWhereBothHaveLostAPiece) {
  damage_index();
  damage_copy();
  const auto image = read_file(*env_, image_);
  const auto index = read_file(*env_, index_);
  const Outcome outcome = dgfs("verify", {"--fix-index"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("damaged in all copies (1 such place)"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(read_file(*env_, image_), image);
  EXPECT_EQ(read_file(*env_, index_), index);
}

TEST_F(FixIndexTest, ReplacesNothingThatIsNotTheIndex) {
  const std::string other = dir_ / "other.dgfs";
  ASSERT_EQ(run({"build", "-q", "--no-index-copy", tree_ + "/sub", other}).code, 0);
  ASSERT_TRUE(env_->rename(other + ".idx", index_));
  const auto theirs = read_file(*env_, index_);
  const Outcome outcome = dgfs("verify", {"--fix-index"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("the index of another image (uuid "), std::string::npos);
  EXPECT_NE(outcome.err.find(index_ + ": exists, but holds nothing of this index"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(read_file(*env_, index_), theirs);
  EXPECT_EQ(dgfs("verify").code, 1) << "verify reports the difference";
  EXPECT_EQ(dgfs("ls", {"sub/deep"}).out, "large.bin\n") << "but other commands work";
}

TEST_F(FixIndexTest, SaysThatAnImageCannotBeWritten) {
  damage_copy();
  // Not by file mode: root may write read-only files.
  HookEnv env(*env_, [this](storage::CallKind kind, const std::string& path) {
    return kind == storage::CallKind::kWrite && path == image_
               ? Status(Error(ErrorKind::kPermission, 1, "refused"))
               : ok();
  });
  ToolRun tool(env);
  EXPECT_EQ(tool.run({"verify", "--fix-index", image_}), 1);
  EXPECT_NE(tool.err().find("the copy of the index in the image was not changed: refused"),
            std::string::npos)
      << tool.err();
}

}  // namespace
}  // namespace dgfs::test
