// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The promises of Directory, for every implementation.
#include <algorithm>
#include <cerrno>

#include "storage/file_mode.h"
#include "tests/storage/env_fixture.h"
#include "tests/support/skip.h"

namespace dgfs::test {
namespace {

using storage::Directory;

class DirectoryConformance : public EnvTest {};
DGFS_INSTANTIATE_ENV_SUITE(DirectoryConformance);

TEST_P(DirectoryConformance, ListsWhatWasMade) {
  const auto dir = root();
  ASSERT_OK(dir->make_directory("d", 0755));
  ASSERT_OK(dir->create_file("f", 0644));
  ASSERT_OK(dir->make_symlink("l", "nowhere/at all"));
  auto names = dir->list().value();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"d", "f", "l"}));
  EXPECT_EQ(dir->read_link("l").value(), "nowhere/at all");
  EXPECT_EQ(dir->status("d").value().mode & storage::kTypeMask, storage::kTypeDirectory);
  EXPECT_EQ(dir->status("f").value().mode & storage::kTypeMask, storage::kTypeRegular);
  EXPECT_EQ(dir->status("l").value().mode & storage::kTypeMask, storage::kTypeLink);
  EXPECT_EQ(dir->status().value().mode & storage::kTypeMask, storage::kTypeDirectory);
  EXPECT_EQ(dir->status("l").value().size_bytes, 14U);
}

TEST_P(DirectoryConformance, NeverReplacesAName) {
  const auto dir = root();
  ASSERT_OK(dir->make_symlink("x", "target"));
  ASSERT_OK(dir->create_file("f", 0644));
  EXPECT_FAILS(ErrorKind::kExists, dir->create_file("x", 0644));
  EXPECT_FAILS(ErrorKind::kExists, dir->make_directory("x", 0755));
  EXPECT_FAILS(ErrorKind::kExists, dir->make_symlink("x", "other"));
  EXPECT_FAILS(ErrorKind::kExists, dir->make_link(*dir, "f", "x"));
  EXPECT_FAILS(ErrorKind::kExists, dir->make_node("x", 0010600, 0));
  EXPECT_EQ(dir->read_link("x").value(), "target");
}

TEST_P(DirectoryConformance, NeverFollowsLinks) {
  const auto dir = root();
  ASSERT_OK(dir->make_directory("d", 0755));
  ASSERT_OK(dir->create_file("f", 0644));
  ASSERT_OK(dir->make_symlink("to_d", "d"));
  ASSERT_OK(dir->make_symlink("to_f", "f"));
  EXPECT_FAILS(ErrorKind::kNotDirectory, dir->open_directory("to_d"));
  EXPECT_FAILS(ErrorKind::kNotDirectory, dir->open_directory("f"));
  EXPECT_FAILS(ErrorKind::kLoop, dir->open_file("to_f"));
  EXPECT_FAILS(ErrorKind::kIsDirectory, dir->open_file("d"));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->set_mode("to_f", 0600));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->read_link("f"));
  const auto before = dir->status("f").value();
  ASSERT_OK(dir->set_times("to_f", Time{1, 2}, Time{3, 4}));
  EXPECT_EQ(dir->status("f").value().modify_time, before.modify_time);
  EXPECT_EQ(dir->status("to_f").value().modify_time, (Time{3, 4}));
}

TEST_P(DirectoryConformance, RefusesNamesThatAreNotOneComponent) {
  const auto dir = root();
  const std::vector<std::string> bad{
      ".", "..", "a/b", "/", std::string("a\0b", 3), std::string(256, 'a')};
  for (const std::string& name : bad) {
    SCOPED_TRACE(name);
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->status(name));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->open_file(name));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->open_directory(name));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->read_link(name));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->xattrs(name));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->create_file(name, 0644));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->make_directory(name, 0755));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->make_symlink(name, "t"));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->make_link(*dir, name, "t"));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->make_link(*dir, "t", name));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->make_node(name, 0010600, 0));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->set_mode(name, 0600));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->set_owner(name, 0, 0));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->set_times(name, std::nullopt, Time{}));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->set_xattr(name, "user.a", {}));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->remove_xattr(name, "user.a"));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->create_unnamed(name, 0600));
    EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->remove(name));
  }
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->open_file(""));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->remove(""));
  EXPECT_TRUE(dir->list().value().empty());
}

TEST_P(DirectoryConformance, LinksShareAnInode) {
  const auto dir = root();
  ASSERT_OK(dir->make_directory("d", 0755));
  const auto inner = std::move(dir->open_directory("d")).value();
  ASSERT_OK(std::move(dir->create_file("f", 0644)).value()->write_at(0, as_bytes("shared")));
  ASSERT_OK(inner->make_link(*dir, "f", "g"));
  EXPECT_EQ(dir->status("f").value().inode, inner->status("g").value().inode);
  EXPECT_EQ(dir->status("f").value().link_count, 2U);
  ASSERT_OK(dir->remove("f"));
  EXPECT_EQ(content(at("d/g")), "shared");
  EXPECT_FAILS(ErrorKind::kPermission, dir->make_link(*dir, "d", "e"));
}

TEST_P(DirectoryConformance, MakesNodes) {
  const auto dir = root();
  ASSERT_OK(dir->make_node("fifo", 0010600, 0));
  ASSERT_OK(dir->make_node("socket", 0140600, 0));
  EXPECT_EQ(dir->status("fifo").value().mode, 0010600U);
  EXPECT_EQ(dir->status("socket").value().mode, 0140600U);
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->open_file("fifo"));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->open_file("socket"));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->make_node("file", 0100600, 0));
  const auto device = dir->make_node("device", 0020600, 0x103);
  if (!device && device.error().kind() == ErrorKind::kPermission) {
    DGFS_SKIP("making device nodes needs privilege");
  }
  ASSERT_OK(device);
  EXPECT_EQ(dir->status("device").value().rdev, 0x103U);
}

TEST_P(DirectoryConformance, SetsModeAndTimes) {
  const auto dir = root();
  ASSERT_OK(dir->create_file("f", 0644));
  ASSERT_OK(dir->set_mode("f", 04751));
  EXPECT_EQ(dir->status("f").value().mode, 0104751U);
  ASSERT_OK(dir->set_mode("", 0700));
  EXPECT_EQ(dir->status().value().mode & 07777, 0700U);

  const Time before_1970{-1'000'000'001, 999'999'999};
  ASSERT_OK(dir->set_times("f", Time{-1, 5}, before_1970));
  EXPECT_EQ(dir->status("f").value().access_time, (Time{-1, 5}));
  EXPECT_EQ(dir->status("f").value().modify_time, before_1970);
  ASSERT_OK(dir->set_times("f", std::nullopt, Time{7, 0}));
  EXPECT_EQ(dir->status("f").value().access_time, (Time{-1, 5}));
  ASSERT_OK(dir->set_times("", std::nullopt, Time{8, 9}));
  EXPECT_EQ(dir->status().value().modify_time, (Time{8, 9}));
  EXPECT_FAILS(ErrorKind::kInvalidArgument,
               dir->set_times("f", std::nullopt, Time{0, 1'000'000'000}));
}

TEST_P(DirectoryConformance, SetsOwners) {
  const auto dir = root();
  ASSERT_OK(dir->make_symlink("l", "nowhere"));
  const auto changed = dir->set_owner("l", 12345, 54321);
  if (!changed && changed.error().kind() == ErrorKind::kPermission) {
    DGFS_SKIP("changing owners needs privilege");
  }
  ASSERT_OK(changed);
  EXPECT_EQ(dir->status("l").value().uid, 12345U);
  EXPECT_EQ(dir->status("l").value().gid, 54321U);
  ASSERT_OK(dir->set_owner("", 7, 8));
  EXPECT_EQ(dir->status().value().gid, 8U);
}

TEST_P(DirectoryConformance, KeepsExtendedAttributes) {
  const auto dir = root();
  ASSERT_OK(dir->create_file("f", 0644));
  const auto first = dir->set_xattr("f", "user.b", as_bytes("two"));
  if (!first && first.error().os_errno() == ENOTSUP) {
    DGFS_SKIP("the file system has no extended attributes");
  }
  ASSERT_OK(first);
  ASSERT_OK(dir->set_xattr("f", "user.a", {}));
  ASSERT_OK(dir->set_xattr("", "user.self", as_bytes("dir")));
  const std::vector<Xattr> expected{{"user.a", {}}, {"user.b", {'t', 'w', 'o'}}};
  EXPECT_EQ(dir->xattrs("f").value(), expected);
  EXPECT_EQ(std::move(dir->open_file("f")).value()->xattrs().value(), expected);
  EXPECT_EQ(dir->xattrs().value(), (std::vector<Xattr>{{"user.self", {'d', 'i', 'r'}}}));
  EXPECT_FAILS(ErrorKind::kNotFound, dir->xattrs("absent"));
}

TEST_P(DirectoryConformance, RemovesExtendedAttributes) {
  const auto dir = root();
  ASSERT_OK(dir->create_file("f", 0644));
  const auto first = dir->set_xattr("f", "user.a", as_bytes("1"));
  if (!first && first.error().os_errno() == ENOTSUP) {
    DGFS_SKIP("the file system has no extended attributes");
  }
  ASSERT_OK(first);
  ASSERT_OK(dir->set_xattr("f", "user.b", as_bytes("2")));
  ASSERT_OK(dir->set_xattr("", "user.self", as_bytes("3")));
  ASSERT_OK(dir->remove_xattr("f", "user.a"));
  EXPECT_EQ(dir->xattrs("f").value(), (std::vector<Xattr>{{"user.b", {'2'}}}));
  EXPECT_FAILS(ErrorKind::kNotFound, dir->remove_xattr("f", "user.a"));
  ASSERT_OK(dir->remove_xattr("", "user.self"));
  EXPECT_TRUE(dir->xattrs().value().empty());
  EXPECT_FAILS(ErrorKind::kNotFound, dir->remove_xattr("absent", "user.a"));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, dir->remove_xattr("f", std::string_view("a\0b", 3)));
}

TEST_P(DirectoryConformance, UnnamedFilesAppearComplete) {
  const auto dir = root();
  const auto file = std::move(dir->create_unnamed("f", 0600)).value();
  ASSERT_OK(file->content().write_at(0, as_bytes("content")));
  EXPECT_EQ(file->content().path(), dir->path() + "/f");
  EXPECT_EQ(file->content().status().value().mode, 0100600U);
  ASSERT_OK(file->set_mode(0640));
  ASSERT_OK(file->set_times(Time{1, 2}, Time{-3, 4}));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, file->set_times(std::nullopt, Time{0, 1'000'000'000}));
  EXPECT_TRUE(dir->list().value().empty());
  ASSERT_OK(file->link());
  EXPECT_EQ(content(at("f")), "content");
  EXPECT_EQ(dir->status("f").value().mode, 0100640U);
  EXPECT_EQ(dir->status("f").value().link_count, 1U);
  EXPECT_EQ(dir->status("f").value().modify_time, (Time{-3, 4}));
  EXPECT_EQ(file->content().path(), dir->path() + "/f");
}

TEST_P(DirectoryConformance, UnnamedFilesTakeAttributes) {
  const auto dir = root();
  const auto file = std::move(dir->create_unnamed("f", 0600)).value();
  const auto set = file->set_xattr("user.a", as_bytes("1"));
  if (!set && set.error().os_errno() == ENOTSUP) {
    DGFS_SKIP("the file system has no extended attributes");
  }
  ASSERT_OK(set);
  ASSERT_OK(file->set_xattr("user.b", as_bytes("2")));
  ASSERT_OK(file->remove_xattr("user.a"));
  EXPECT_FAILS(ErrorKind::kNotFound, file->remove_xattr("user.a"));
  const auto owned = file->set_owner(12345, 54321);
  ASSERT_OK(file->link());
  EXPECT_EQ(dir->xattrs("f").value(), (std::vector<Xattr>{{"user.b", {'2'}}}));
  if (owned) {
    EXPECT_EQ(dir->status("f").value().gid, 54321U);
  }
}

TEST_P(DirectoryConformance, UnnamedFilesReplaceNothingAndGoWithoutTrace) {
  const auto dir = root();
  ASSERT_OK(dir->make_symlink("taken", "nowhere"));
  {
    const auto taken = std::move(dir->create_unnamed("taken", 0600)).value();
    EXPECT_FAILS(ErrorKind::kExists, taken->link());
    const auto file = std::move(dir->create_unnamed("free", 0600)).value();
    ASSERT_OK(file->link());
    static_cast<void>(std::move(dir->create_unnamed("dropped", 0600)).value());
  }
  auto names = dir->list().value();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"free", "taken"}));
  EXPECT_EQ(dir->read_link("taken").value(), "nowhere");
}

TEST_P(DirectoryConformance, ReadsXattrsOfLinksWithoutFollowing) {
  const auto dir = root();
  ASSERT_OK(dir->make_symlink("l", "nowhere"));
  const auto set = dir->set_xattr("l", "trusted.t", as_bytes("v"));
  if (!set && (set.error().kind() == ErrorKind::kPermission || set.error().os_errno() == ENOTSUP)) {
    DGFS_SKIP("trusted attributes need privilege and support");
  }
  ASSERT_OK(set);
  EXPECT_EQ(dir->xattrs("l").value(), (std::vector<Xattr>{{"trusted.t", {'v'}}}));
}

TEST_P(DirectoryConformance, RemovesFilesLinksAndEmptyDirectories) {
  const auto dir = root();
  ASSERT_OK(dir->make_directory("d", 0755));
  ASSERT_OK(dir->make_symlink("l", "d"));
  const auto inner = std::move(dir->open_directory("d")).value();
  ASSERT_OK(inner->create_file("f", 0644));
  EXPECT_FAILS(ErrorKind::kIo, dir->remove("d"));
  ASSERT_OK(inner->remove("f"));
  ASSERT_OK(dir->remove("l"));
  ASSERT_OK(dir->remove("d"));
  EXPECT_FAILS(ErrorKind::kNotFound, dir->remove("d"));
  EXPECT_FAILS(ErrorKind::kNotFound, inner->create_file("f", 0644));
  ASSERT_OK(dir->sync());
}

TEST_P(DirectoryConformance, WorksDeeperThanPathsReach) {
  constexpr int kLevels = 60;  // 100 bytes each: together longer than the 4096 of PATH_MAX
  const std::string name(100, 'd');
  std::unique_ptr<Directory> dir = root();
  for (int level = 0; level < kLevels; ++level) {
    ASSERT_OK(dir->make_directory(name, 0755));
    dir = std::move(dir->open_directory(name)).value();
  }
  ASSERT_OK(std::move(dir->create_file("f", 0644)).value()->write_at(0, as_bytes("deep")));
  ASSERT_OK(dir->set_mode("f", 0600));
  ASSERT_OK(dir->set_times("f", std::nullopt, Time{1, 0}));
  EXPECT_EQ(dir->xattrs("f").value().size(), 0U);
  EXPECT_EQ(dir->list().value(), std::vector<std::string>{"f"});
  EXPECT_EQ(std::move(dir->open_file("f")).value()->size().value(), 4U);
}

}  // namespace
}  // namespace dgfs::test
