// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extraction as an ordinary user and as root, with entries that cannot be made.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

constexpr std::uint64_t kDeviceNumber = 0x103;

class ExtractRights : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.directory("d");
    tree_.file("d/f", "content");
    const auto parent = tree_.parent("d/f");
    expect_ok(parent->set_owner("f", 1234, 5678));
    expect_ok(parent->set_xattr("f", "user.kept", as_bytes("u")));
    expect_ok(parent->set_xattr("f", "trusted.left", as_bytes("t")));
    expect_ok(parent->set_xattr("f", "security.capability", as_bytes("c")));
    expect_ok(parent->set_mode("f", 0640));
    expect_ok(parent->set_times("f", Time{10, 1}, Time{20, 2}));
    expect_ok(parent->make_node("device", format::kTypeCharacterDevice | 0600, kDeviceNumber));
    expect_ok(parent->make_node("fifo", format::kTypeFifo | 0620, 0));
    expect_ok(parent->set_mode("fifo", 0620));  // not limited by the umask
    tree_.link("d/device", "d/device-again");
    tree_.pack();
  }
  std::unique_ptr<storage::Directory> extract(bool privileged) {
    reader::ExtractOptions options;
    options.privileged = privileged;
    options.devices = devices_;
    options.failed = [this](const std::string& path, const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kPermission);
      refused_.push_back(path);
    };
    report_ = value_of(reader::extract(*tree_.open(), tree_.memory(), "/dest", options));
    return value_of(tree_.memory().open_directory("/dest/d"));
  }
  static std::vector<std::string> xattr_names(const storage::Directory& directory) {
    std::vector<std::string> names;
    for (const auto& xattr : value_of(directory.xattrs("f"))) names.push_back(xattr.name);
    return names;
  }

  PackedTree tree_;
  bool devices_ = true;
  std::vector<std::string> refused_;
  reader::ExtractReport report_;
};

TEST_F(ExtractRights, AnOrdinaryUserGetsWhatHeMaySet) {
  const auto directory = extract(false);
  EXPECT_EQ(report_.failures, 0U);
  const auto status = value_of(directory->status("f"));
  EXPECT_EQ(status.uid, 0U);  // the user of this environment
  EXPECT_EQ(status.mode & 07777U, 0640U);
  EXPECT_EQ(status.modify_time, (Time{20, 2}));
  EXPECT_EQ(xattr_names(*directory), std::vector<std::string>{"user.kept"});
  EXPECT_FALSE(directory->status("device"));
  EXPECT_FALSE(directory->status("device-again"));
  EXPECT_EQ(value_of(directory->status("fifo")).mode, format::kTypeFifo | 0620);
}

TEST_F(ExtractRights, AnOrdinaryUserIsToldOfDevices) {
  static_cast<void>(extract(false));
  EXPECT_EQ(refused_, (std::vector<std::string>{"d/device", "d/device-again"}));
  EXPECT_EQ(report_.devices_refused, 2U);
  EXPECT_EQ(report_.entries, 4U);  // the root, d, d/f and d/fifo
}

TEST_F(ExtractRights, DevicesMayBeLeftOutWithoutAWord) {
  devices_ = false;
  static_cast<void>(extract(false));
  EXPECT_TRUE(refused_.empty());
  EXPECT_EQ(report_.devices_refused, 0U);
  EXPECT_FALSE(tree_.memory().status("/dest/d/device"));
}

TEST_F(ExtractRights, AclsThatTheImageHasNotAreRemoved) {
  const auto source = tree_.parent("d/f");
  expect_ok(source->set_xattr("fifo", "system.posix_acl_access", as_bytes("own")));
  expect_ok(source->set_xattr("", "system.posix_acl_default", as_bytes("own")));
  tree_.pack();
  expect_ok(tree_.memory().make_directory("/dest", 0755));
  expect_ok(tree_.memory().open_directory("/dest").value()->make_directory("d", 0755));
  for (const auto* path : {"/dest", "/dest/d"}) {
    const auto directory = value_of(tree_.memory().open_directory(path));
    expect_ok(directory->set_xattr("", "system.posix_acl_access", as_bytes("inherited")));
    expect_ok(directory->set_xattr("", "system.posix_acl_default", as_bytes("inherited")));
    expect_ok(directory->set_xattr("", "user.other", as_bytes("stays")));
  }
  const auto directory = extract(true);
  const std::vector<Xattr> own{{"system.posix_acl_access", {'o', 'w', 'n'}}};
  EXPECT_EQ(value_of(directory->xattrs("fifo")), own);
  const auto xattrs = value_of(directory->xattrs());
  ASSERT_EQ(xattrs.size(), 2U);
  EXPECT_EQ(xattrs[0], (Xattr{"system.posix_acl_default", {'o', 'w', 'n'}}));
  EXPECT_EQ(xattrs[1].name, "user.other");
  EXPECT_EQ(value_of(value_of(tree_.memory().open_directory("/dest"))->xattrs()).size(), 1U);
}

TEST_F(ExtractRights, RootGetsEverything) {
  const auto directory = extract(true);
  EXPECT_EQ(report_.failures, 0U);
  const auto status = value_of(directory->status("f"));
  EXPECT_EQ(status.uid, 1234U);
  EXPECT_EQ(status.gid, 5678U);
  EXPECT_EQ(xattr_names(*directory),
            (std::vector<std::string>{"security.capability", "trusted.left", "user.kept"}));
  const auto device = value_of(directory->status("device"));
  EXPECT_EQ(device.rdev, kDeviceNumber);
  EXPECT_EQ(value_of(directory->status("device-again")).inode, device.inode);
}

class ExtractFailures : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.directory("a");
    tree_.directory("a/b");
    tree_.file("a/b/below", "1");
    tree_.file("a/f", "2");
    tree_.file("z", "3");
    tree_.pack();
    expect_ok(tree_.memory().make_directory("/dest", 0755));
    destination_ = value_of(tree_.memory().open_directory("/dest"));
    options_.failed = [this](const std::string& path, const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kExists) << path;
      failed_.push_back(path);
    };
  }

  PackedTree tree_;
  std::unique_ptr<storage::Directory> destination_;
  reader::ExtractOptions options_;
  std::vector<std::string> failed_;
};

TEST_F(ExtractFailures, KeepGoingTellsAllThatIsBelowAndMakesTheRest) {
  options_.failed = [this](const std::string& path, const Error& error) {
    EXPECT_EQ(error.kind(), path == "a" ? ErrorKind::kExists : ErrorKind::kNotFound) << path;
    failed_.push_back(path);
  };
  expect_ok(tree_.memory().make_directory("/victim", 0755));
  expect_ok(destination_->make_symlink("a", "/victim"));
  options_.keep_going = true;
  const auto report = value_of(reader::extract(*tree_.open(), tree_.memory(), "/dest", options_));
  EXPECT_EQ(report.failures, 4U);
  std::sort(failed_.begin(), failed_.end());
  EXPECT_EQ(failed_, (std::vector<std::string>{"a", "a/b", "a/b/below", "a/f"}));
  EXPECT_EQ(report.entries, 2U);  // the root and z
  EXPECT_TRUE(tree_.memory().status("/dest/z"));
  EXPECT_EQ(value_of(destination_->read_link("a")), "/victim");
  EXPECT_TRUE(value_of(value_of(tree_.memory().open_directory("/victim"))->list()).empty());
}

// The directory that fails is not among the chosen paths.
TEST_F(ExtractFailures, KeepGoingTellsAllThatIsBelowChosenPaths) {
  options_.failed = [this](const std::string& path, const Error&) { failed_.push_back(path); };
  expect_ok(destination_->make_symlink("a", "/victim"));
  options_.keep_going = true;
  options_.paths = {"a/b", "a/f", "z"};
  const auto report = value_of(reader::extract(*tree_.open(), tree_.memory(), "/dest", options_));
  std::sort(failed_.begin(), failed_.end());
  EXPECT_EQ(failed_, (std::vector<std::string>{"a", "a/b", "a/b/below", "a/f"}));
  EXPECT_EQ(report.failures, 4U);
  EXPECT_EQ(report.entries, 1U);
}

TEST_F(ExtractFailures, EveryPlantedLinkIsRefused) {
  options_.failed = [this](const std::string& path, const Error& error) {
    EXPECT_EQ(error.kind(), path == "a/b/below" ? ErrorKind::kNotFound : ErrorKind::kExists);
    failed_.push_back(path);
  };
  static_cast<void>(value_of(destination_->create_file("outside", 0644)));
  expect_ok(destination_->make_directory("a", 0755));
  auto a = value_of(destination_->open_directory("a"));
  expect_ok(a->make_symlink("b", ".."));
  expect_ok(a->make_symlink("f", "../outside"));
  expect_ok(destination_->make_symlink("z", "nowhere"));
  options_.keep_going = true;
  const auto report = value_of(reader::extract(*tree_.open(), tree_.memory(), "/dest", options_));
  std::sort(failed_.begin(), failed_.end());
  EXPECT_EQ(failed_, (std::vector<std::string>{"a/b", "a/b/below", "a/f", "z"}));
  EXPECT_EQ(report.failures, 4U);
  EXPECT_EQ(value_of(destination_->status("outside")).size_bytes, 0U);
  EXPECT_FALSE(destination_->status("below"));
  EXPECT_FALSE(destination_->status("nowhere"));
}

TEST_F(ExtractFailures, TheFirstOneEndsItOtherwise) {
  expect_ok(destination_->make_symlink("a", "/victim"));
  const auto report = reader::extract(*tree_.open(), tree_.memory(), "/dest", options_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kExists);
  EXPECT_TRUE(failed_.empty());
}

TEST_F(ExtractFailures, DamagedContentsLeaveNoFile) {
  const auto node = value_of(tree_.open()->lookup("z"));
  {
    const auto image =
        value_of(tree_.memory().open(kImage, {storage::OpenOptions::Mode::kReadWrite}));
    expect_ok(image->write_at(node.data.offset_bytes, as_bytes("damage")));
  }
  options_.keep_going = true;
  options_.failed = [this](const std::string& path, const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    failed_.push_back(path);
  };
  const auto report = value_of(reader::extract(*tree_.open(), tree_.memory(), "/dest", options_));
  EXPECT_EQ(failed_, std::vector<std::string>{"z"});
  EXPECT_EQ(report.failures, 1U);
  EXPECT_FALSE(destination_->status("z"));
  EXPECT_TRUE(tree_.memory().status("/dest/a/b/below"));
}

TEST_F(ExtractFailures, ChosenPathsWithOneThatIsNotThere) {
  options_.paths = {"a/b", "missing"};
  options_.keep_going = true;
  options_.failed = [this](const std::string& path, const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    failed_.push_back(path);
  };
  static_cast<void>(value_of(reader::extract(*tree_.open(), tree_.memory(), "/dest", options_)));
  EXPECT_EQ(failed_, std::vector<std::string>{"missing"});
  EXPECT_TRUE(tree_.memory().status("/dest/a/b/below"));
  EXPECT_FALSE(tree_.memory().status("/dest/a/f"));
  EXPECT_FALSE(tree_.memory().status("/dest/z"));
}

}  // namespace
}  // namespace dgfs::test
