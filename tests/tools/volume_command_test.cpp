// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs volume, and dgfs verify of one volume.
#include <gtest/gtest.h>

#include <string>

#include "storage/posix/env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/temp_dir.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

// An image whose file "f" lies in volume 1, and whose other volume is empty.
class VolumeCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    expect_ok(env_->make_directory(dir_ / "disk", 0755));
    expect_ok(env_->make_directory(dir_ / "other", 0755));
    ImageAssembler assembler;
    assembler.add_file("f", pattern(5000, 1));
    assembler.volume_of_page = [](std::size_t) { return format::VolumeNumber{1}; };
    assembler.more_volumes = {{1, volume_}};
    assembler.write(*env_, image_.c_str(), (image_ + ".idx").c_str(), true);
  }
  /// Returns the exit code; out_ and err_ get the output.
  int run(std::vector<std::string> arguments) {
    ToolRun tool(*env_);
    const int code = tool.run(arguments);
    out_ = tool.out();
    err_ = tool.err();
    return code;
  }

  TempDir dir_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  std::string image_ = dir_ / "t.dgfs";
  std::string volume_ = dir_ / "disk/t.1";
  std::string out_;
  std::string err_;
};

TEST_F(VolumeCommandTest, ListsWhereVolumesLie) {
  EXPECT_EQ(run({"volume", "list", image_, "--volume", volume_}), 0) << err_;
  EXPECT_EQ(out_, "volume  contents  file\n     0       0 B  " + image_ + "\n     1   5.01 KB  " +
                      volume_ + "\n");
  EXPECT_EQ(run({"volume", "list", "--json", image_, "--volume", volume_}), 0) << err_;
  EXPECT_NE(out_.find("{\"volume\":1,\"content_bytes\":5"), std::string::npos) << out_;
}

TEST_F(VolumeCommandTest, SaysWhichIsMissing) {
  EXPECT_EQ(run({"volume", "list", image_}), 1);
  EXPECT_NE(out_.find("missing: volume 1 (uuid "), std::string::npos) << out_;
  EXPECT_EQ(run({"volume", "list", "--json", image_}), 1);
  EXPECT_NE(out_.find("\"is_missing\":true,\"reason\":\"volume 1 (uuid "), std::string::npos)
      << out_;
}

TEST_F(VolumeCommandTest, InfoShowsTheLayout) {
  EXPECT_EQ(run({"info", image_, "--volume", volume_}), 0) << err_;
  EXPECT_NE(out_.find("\nvolume 1   " + volume_), std::string::npos) << out_;
  EXPECT_EQ(run({"info", image_}), 0) << err_;
  EXPECT_NE(out_.find("\nvolume 1   missing\n"), std::string::npos) << out_;
  EXPECT_EQ(run({"info", "--json", image_}), 0) << err_;
  EXPECT_NE(out_.find("\"volumes\":2,\"missing_volumes\":[1],"), std::string::npos) << out_;
}

TEST_F(VolumeCommandTest, MovesOne) {
  EXPECT_EQ(run({"volume", "move", image_, "1", dir_ / "other", "--volume", volume_}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("volume 1: " + volume_ + " is now " + (dir_ / "other/t.1") + " ("))
      << out_;
  EXPECT_FALSE(env_->status(volume_));
  EXPECT_EQ(run({"cat", image_, "f", "--volume", dir_ / "other/t.1"}), 0) << err_;
  const auto content = pattern(5000, 1);
  EXPECT_EQ(out_, std::string(as_text(content)));
}

TEST_F(VolumeCommandTest, MovesNothingWhereItCannot) {
  write_file(*env_, dir_ / "other/t.1", pattern(9, 1));
  EXPECT_EQ(run({"volume", "move", image_, "1", dir_ / "other", "--volume", volume_}), 1);
  EXPECT_NE(err_.find("other/t.1: exists already"), std::string::npos) << err_;
  EXPECT_TRUE(env_->status(volume_));
  EXPECT_EQ(run({"volume", "move", image_, "7", dir_ / "other"}), 1);
  EXPECT_NE(err_.find("the image has no volume 7"), std::string::npos) << err_;
  EXPECT_EQ(run({"volume", "move", image_, "x", dir_ / "other"}), 1);
  EXPECT_EQ(run({"volume", "move", image_, "1"}), 2);
  EXPECT_EQ(run({"volume", "list", image_, "1"}), 2);
  EXPECT_EQ(run({"volume", "show", image_}), 2);
  EXPECT_EQ(run({"volume", "move", image_, "1", dir_ / "new"}), 1);  // volume 1 is missing
}

TEST_F(VolumeCommandTest, VerifiesOneAlone) {
  expect_ok(env_->remove(image_));
  const std::vector<std::string> alone = {"verify",        "-q", image_ + ".idx",
                                          "--only-volume", "1",  "--volume"};
  auto arguments = alone;
  arguments.push_back(volume_);
  EXPECT_EQ(run(arguments), 0) << out_ << err_;
  auto bytes = read_file(*env_, volume_);
  bytes[4096 + 100] ^= 1;
  expect_ok(env_->remove(volume_));
  write_file(*env_, volume_, bytes);
  EXPECT_EQ(run(arguments), 1);
  EXPECT_NE(out_.find("damaged: f: contents, bytes 0-4999"), std::string::npos) << out_;
  EXPECT_EQ(run({"verify", image_ + ".idx", "--only-volume", "9"}), 1);
  EXPECT_NE(err_.find("the image has no volume 9"), std::string::npos) << err_;
}

}  // namespace
}  // namespace dgfs::test
